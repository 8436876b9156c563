/* The statements that SQLite and PostgreSQL both understand. */
#include "store/sql.h"

#define ANSWERS                                                                                    \
    "SELECT " SL_SQL_SESSION ", a.client_id, a.trial, a.revision, i.id, a.body, "                  \
    "a.received, a.elapsed, a.repeat, a.practice, a.id "                                           \
    "FROM answers a JOIN sessions s ON s.id = a.session "                                          \
    "JOIN items i ON i.position = a.item "

/* States are numbers of enum sl_session_state: 0 is live, 1 finished, 3 expired, 4 refused. */
const char *const sl_sql_texts[SL_SQL_STATEMENTS] = {
    [SL_SQL_PUT_TEXT] = "INSERT INTO texts(key, value) VALUES(?1, ?2) "
                        "ON CONFLICT(key) DO UPDATE SET value = excluded.value",
    [SL_SQL_GET_TEXT] = "SELECT value FROM texts WHERE key = ?1",

    [SL_SQL_ADD_ITEM] = "INSERT INTO items(id, content, truth, entropy, is_check, hash) "
                        "VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    [SL_SQL_SET_ITEM_HASH] = "UPDATE items SET hash = ?2 WHERE id = ?1",
    [SL_SQL_ANSWERED_SCREEN] = "SELECT 1 FROM sessions s WHERE s.test = 0 "
                               "AND (?1 IS NULL OR s.screen = ?1) "
                               "AND EXISTS(SELECT 1 FROM answers a WHERE a.session = s.id) LIMIT 1",
    [SL_SQL_ANSWERED_ITEM] = "SELECT 1 FROM answers a JOIN items i ON i.position = a.item "
                             "JOIN sessions s ON s.id = a.session "
                             "WHERE i.id = ?1 AND s.test = 0 LIMIT 1",
    [SL_SQL_FIND_ITEM] = "SELECT position FROM items WHERE id = ?1",
    [SL_SQL_EACH_ITEM] = "SELECT id, content, truth, entropy, is_check, hash FROM items "
                         "ORDER BY position",
    [SL_SQL_ADD_BATCH] = "INSERT INTO batches(batch, target) VALUES(?1, ?2)",
    [SL_SQL_FIND_BATCH] = "SELECT target FROM batches WHERE batch = ?1",
    [SL_SQL_NEXT_BATCH] = "SELECT COALESCE(MAX(batch) + 1, 0) FROM batches",
    [SL_SQL_SET_TARGET] = "UPDATE batches SET target = ?1 WHERE target > 0 AND target <> ?1",
    [SL_SQL_ADD_BATCH_ITEM] = "INSERT INTO batch_items(batch, position, item) VALUES(?1, ?2, ?3)",
    [SL_SQL_BATCH_ITEMS] = "SELECT i.id FROM batch_items b JOIN items i ON i.position = b.item "
                           "WHERE b.batch = ?1 ORDER BY b.position",
    [SL_SQL_EACH_BATCH] = "SELECT b.batch, b.target, "
                          "(SELECT COUNT(*) FROM sessions s "
                          "WHERE s.batch = b.batch AND s.state = 1 AND s.test = ?1), "
                          "(SELECT COUNT(*) FROM sessions s "
                          "WHERE s.batch = b.batch AND s.state = 0 AND s.test = ?1) "
                          "FROM batches b WHERE b.target > 0 ORDER BY b.batch",

    [SL_SQL_EXPIRE] = "UPDATE sessions SET state = 3 WHERE state = 0 AND lease_until < ?1",
    [SL_SQL_LIVE_SESSION] = "SELECT " SL_SQL_SESSION " FROM sessions s "
                            "WHERE s.person = ?1 AND s.test = ?2 "
                            "AND (s.state IN (0, 4) OR (?3 <> 0 AND s.state = 1)) "
                            "ORDER BY s.state, s.id DESC LIMIT 1",
    [SL_SQL_RENEW_SESSION] = "UPDATE sessions SET token_hash = ?2, seen = ?3, lease_until = ?4 "
                             "WHERE id = ?1",
    [SL_SQL_FINISHED_BEFORE] = "SELECT 1 FROM sessions "
                               "WHERE person = ?1 AND state = 1 AND test = 0 LIMIT 1",
    /* Earlier places show none of the session's items. */
    [SL_SQL_SEEN_ITEMS] = "SELECT DISTINCT i.position, i.id FROM sessions s "
                          "JOIN batch_items b ON b.batch = s.batch "
                          "JOIN items i ON i.position = b.item "
                          "WHERE s.person = ?1 AND s.test = ?2 AND s.place NOT IN ('consent', "
                          "'instructions', 'check', 'training', 'practice') ORDER BY i.position",
    [SL_SQL_ADD_SESSION] = "INSERT INTO sessions(token_hash, person, screen, batch, seed, state, "
                           "place, trial, started, seen, finished, lease_until, test, second_run, "
                           "attempts, consent, parameters) VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6, 0, "
                           "?7, ?7, 0, ?8, ?9, ?10, (SELECT COALESCE(MAX(attempts), 0) FROM "
                           "sessions WHERE person = ?2 AND test = ?9 AND state <> 1), '', ?11)",
    [SL_SQL_SESSION_OF_TOKEN] = "SELECT " SL_SQL_SESSION " FROM sessions s WHERE s.token_hash = ?1",
    [SL_SQL_SESSION_EXISTS] = "SELECT 1 FROM sessions WHERE id = ?1",
    [SL_SQL_SAVE_SESSION] = "UPDATE sessions SET state = ?2, place = ?3, trial = ?4, seen = ?5, "
                            "finished = ?6, lease_until = ?7, attempts = ?8, consent = ?9 "
                            "WHERE id = ?1",
    [SL_SQL_EACH_SESSION] = "SELECT " SL_SQL_SESSION " FROM sessions s ORDER BY s.id",

    [SL_SQL_ANSWER_OF_CLIENT] = "SELECT a.session, a.trial, a.practice, i.id, a.body, a.revision "
                                "FROM answers a JOIN items i ON i.position = a.item "
                                "WHERE a.client_id = ?1",
    [SL_SQL_EACH_ANSWER] = ANSWERS "ORDER BY a.session, a.trial, a.practice DESC, a.revision",
    [SL_SQL_EACH_ANSWER_AFTER] = ANSWERS "WHERE a.id > ?1 ORDER BY a.id",
    [SL_SQL_COUNT_ANSWERS] = "SELECT COUNT(*) FROM answers",
    [SL_SQL_ADD_EVENT] = "INSERT INTO events(session, at, kind, body) "
                         "SELECT NULLIF(?1, 0), ?2, ?3, ?4 "
                         "WHERE ?1 = 0 OR EXISTS(SELECT 1 FROM sessions WHERE id = ?1)",
    [SL_SQL_EACH_EVENT] = "SELECT " SL_SQL_SESSION ", e.at, e.kind, e.body "
                          "FROM events e LEFT JOIN sessions s ON s.id = e.session ORDER BY e.id",
    [SL_SQL_EACH_EVENT_OF] = "SELECT " SL_SQL_SESSION ", e.at, e.kind, e.body "
                             "FROM events e JOIN sessions s ON s.id = e.session "
                             "WHERE e.session = ?1 ORDER BY e.id",

    [SL_SQL_PURGE_ANSWERS] = "DELETE FROM answers WHERE session IN "
                             "(SELECT id FROM sessions WHERE person = ?1 AND started <= ?2)",
    [SL_SQL_PURGE_EVENTS] = "DELETE FROM events WHERE session IN "
                            "(SELECT id FROM sessions WHERE person = ?1 AND started <= ?2)",
    [SL_SQL_PURGE_SESSIONS] = "DELETE FROM sessions WHERE person = ?1 AND started <= ?2",

    /* Whole tables, in an order in which every row finds the rows that it names. */
    [SL_SQL_READ_TEXTS] = "SELECT key, value FROM texts ORDER BY key",
    [SL_SQL_WRITE_TEXTS] = "INSERT INTO texts(key, value) VALUES(?1, ?2)",
    [SL_SQL_READ_ITEMS] =
        "SELECT position, id, content, truth, entropy, is_check, hash FROM items ORDER BY position",
    [SL_SQL_WRITE_ITEMS] = "INSERT INTO items(position, id, content, truth, entropy, is_check, "
                           "hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [SL_SQL_READ_BATCHES] = "SELECT batch, target FROM batches ORDER BY batch",
    [SL_SQL_WRITE_BATCHES] = "INSERT INTO batches(batch, target) VALUES(?1, ?2)",
    [SL_SQL_READ_BATCH_ITEMS] =
        "SELECT batch, position, item FROM batch_items ORDER BY batch, position",
    [SL_SQL_WRITE_BATCH_ITEMS] =
        "INSERT INTO batch_items(batch, position, item) VALUES(?1, ?2, ?3)",
    [SL_SQL_READ_SESSIONS] = "SELECT id, token_hash, person, screen, batch, seed, state, place, "
                             "trial, started, seen, finished, lease_until, test, second_run, "
                             "attempts, consent, parameters FROM sessions ORDER BY id",
    [SL_SQL_WRITE_SESSIONS] =
        "INSERT INTO sessions(id, token_hash, person, screen, batch, seed, state, place, trial, "
        "started, seen, finished, lease_until, test, second_run, attempts, consent, parameters) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    [SL_SQL_READ_ANSWERS] = "SELECT id, client_id, session, trial, practice, revision, item, body, "
                            "received, elapsed, repeat FROM answers ORDER BY id",
    [SL_SQL_WRITE_ANSWERS] =
        "INSERT INTO answers(id, client_id, session, trial, practice, revision, item, body, "
        "received, elapsed, repeat) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [SL_SQL_READ_EVENTS] = "SELECT id, session, at, kind, body FROM events ORDER BY id",
    [SL_SQL_WRITE_EVENTS] =
        "INSERT INTO events(id, session, at, kind, body) VALUES(?1, ?2, ?3, ?4, ?5)",
    [SL_SQL_CLEAR_TEXTS] = "DELETE FROM texts",
    [SL_SQL_CLEAR_ITEMS] = "DELETE FROM items",
    [SL_SQL_CLEAR_BATCHES] = "DELETE FROM batches",
    [SL_SQL_CLEAR_BATCH_ITEMS] = "DELETE FROM batch_items",
    [SL_SQL_CLEAR_SESSIONS] = "DELETE FROM sessions",
    [SL_SQL_CLEAR_ANSWERS] = "DELETE FROM answers",
    [SL_SQL_CLEAR_EVENTS] = "DELETE FROM events",
    [SL_SQL_IS_FILLED] = "SELECT 1 FROM texts UNION ALL SELECT 1 FROM items UNION ALL "
                         "SELECT 1 FROM batches UNION ALL SELECT 1 FROM events LIMIT 1",
};

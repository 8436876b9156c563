/* Threads beside the loop's thread: the slow work of one request does not delay other requests.
 * Private to study/. */
#ifndef SOFTLAB_STUDY_SERVE_LANES_H
#define SOFTLAB_STUDY_SERVE_LANES_H

#include <assert.h>

#include "softlab/http.h"

enum { SL_LANE_PICTURES, SL_LANE_STATUS, SL_LANE_EXPORTS, SL_LANE_PASSWORDS, SL_LANE_ASKING };
static_assert((int)SL_LANE_ASKING < (int)SL_HTTP_LANES, "every kind of work has its lane");

#endif

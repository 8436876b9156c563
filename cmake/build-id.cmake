# Writes OUTPUT with the version and the commit of SOURCE, at every build but only when they
# changed, so that a new commit recompiles one file and nothing else:
#   cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -P build-id.cmake
set(id unknown)
find_program(git NAMES git)
# Only a .git of our own: a copy inside somebody else's repository is not that repository.
if(git AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND "${git}" rev-parse --short=12 HEAD
        WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit RESULT_VARIABLE failed
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
        execute_process(COMMAND "${git}" --no-optional-locks status --porcelain --untracked-files=no
            WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
        set(id "${commit}")
        if(changes)
            string(APPEND id "+")
        endif()
    endif()
endif()

set(content "#define SL_VERSION \"${VERSION}\"\n#define SL_BUILD_ID \"${id}\"\n")
set(before "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
endif()
if(NOT content STREQUAL before)
    file(WRITE "${OUTPUT}" "${content}")
endif()

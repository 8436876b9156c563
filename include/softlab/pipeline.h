/* Pipeline: one job per arrow of the flow, from files to files.
 *
 *     answers -> labels -> targets -> model -> predictions -> scores
 *
 * A job is a struct of options with defaults. Running it reads files, does the work, and writes
 * files or returns results. A job prints nothing; messages go to the workplace's log. A C program
 * does with struct sl_train_job what `softlab train` does. */
#ifndef SOFTLAB_PIPELINE_H
#define SOFTLAB_PIPELINE_H

#include "softlab/pipeline/advice.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/asked.h"
#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/compare.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/pipeline/files.h"
#include "softlab/pipeline/import.h"
#include "softlab/pipeline/items.h"
#include "softlab/pipeline/labels.h"
#include "softlab/pipeline/mixing.h"
#include "softlab/pipeline/options.h"
#include "softlab/pipeline/places.h"
#include "softlab/pipeline/quality.h"
#include "softlab/pipeline/sharing.h"
#include "softlab/pipeline/simulation.h"
#include "softlab/pipeline/task.h"
#include "softlab/pipeline/training.h"
#include "softlab/pipeline/weights.h"
#include "softlab/pipeline/workplace.h"
#include "softlab/pipeline/worth.h"

#endif

"""Mixed models of several systems: a linear one with annotators, texts and outputs as random
effects, and beside it two ordinal ones: each annotator's thresholds the common ones moved, and
thresholds of each annotator's own. The first two are statsmodels's, an extra
(``requirements-crowd.txt``); where it is absent that is said."""

from bodytext._kernel.grams_reference import measure_grams as measure_grams

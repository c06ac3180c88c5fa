from bodytext.kernel.ngrams import measure_grams as measure_grams

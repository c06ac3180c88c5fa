"""Find duplicates and near duplicates in a corpus."""

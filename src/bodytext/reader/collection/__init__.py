"""Update feeds: fetch them and their pages, and store the articles."""

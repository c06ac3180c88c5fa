"""Update feeds: fetch them and their pages, extract the articles, find their stories, and store them."""

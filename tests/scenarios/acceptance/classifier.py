"""A classifier of texts by their words, their punctuation and their length."""

from typing import Any

import numpy
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

#: Texts, and the label of each.
Labelled = tuple[list[str], list[bool]]


def accuracy(learned: Labelled, asked: Labelled) -> float:
    """Return the balanced accuracy, of which chance is 0.5, on texts after learning from others."""
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]", min_df=2)
    model = LogisticRegression(class_weight="balanced", max_iter=500)
    (texts, labels), (others, expected) = learned, asked
    model.fit(_features(vectorizer.fit_transform(texts), texts), labels)
    found = model.predict(_features(vectorizer.transform(others), others))
    return float(balanced_accuracy_score(expected, found))


def _features(words: Any, texts: list[str]) -> Any:
    sizes = [[len(text) / 500, text.count(" ") / 80, text.count("\n")] for text in texts]
    return hstack([words, csr_matrix(numpy.array(sizes))])

# SPDX-License-Identifier: LGPL-2.1-or-later
#
# scikit-learn's estimators and metrics over arrays of Candela, by its dispatch to the
# array API, against what they give for NumPy's.

import environment

environment.enter()

import os
import warnings

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import sklearn
from sklearn import decomposition, discriminant_analysis, linear_model, metrics, model_selection, preprocessing
from testing import check, equal, run, test

import candela as xp

warnings.simplefilter("ignore")
sklearn.set_config(array_api_dispatch=True)

random = np.random.default_rng(7)
Y = np.repeat([0, 1, 2], 40)
X = random.standard_normal((120, 5)) + Y[:, None] * [2.0, 0.0, -1.0, 0.5, 1.0]
GUESS = np.where(random.random(120) < 0.7, Y, (Y + 1) % 3)
CX, CY, CGUESS = xp.asarray(X), xp.asarray(Y), xp.asarray(GUESS)


def same(found, wanted, near=1e-7):
    check(isinstance(found, xp.Array), type(found))
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=near, atol=near)


@test("metrics of classes")
def metrics_of_classes():
    for name in ("accuracy_score", "zero_one_loss"):
        function = getattr(metrics, name)
        equal(float(function(CY, CGUESS)), float(function(Y, GUESS)))


@test("metrics of numbers")
def metrics_of_numbers():
    a, b = X[:, 0], X[:, 1]
    for name in ("mean_squared_error", "mean_absolute_error", "r2_score", "max_error"):
        function = getattr(metrics, name)
        np.testing.assert_allclose(float(function(xp.asarray(a), xp.asarray(b))), function(a, b), rtol=1e-12)


@test("pairwise distances and kernels")
def pairwise():
    for name in ("euclidean_distances", "cosine_similarity", "linear_kernel", "polynomial_kernel", "rbf_kernel"):
        function = getattr(metrics.pairwise, name)
        same(function(CX, CX[:7]), function(X, X[:7]))


@test("scalers")
def scalers():
    for name in ("MinMaxScaler", "StandardScaler", "MaxAbsScaler", "Normalizer"):
        if name == "StandardScaler" and sklearn.__version__ < "1.8":
            continue
        scaler = getattr(preprocessing, name)()
        same(scaler.fit_transform(CX), getattr(preprocessing, name)().fit_transform(X))


@test("principal components")
def components():
    for solver in ("full", "covariance_eigh"):
        ours = decomposition.PCA(n_components=2, svd_solver=solver).fit(CX)
        theirs = decomposition.PCA(n_components=2, svd_solver=solver).fit(X)
        same(ours.explained_variance_, theirs.explained_variance_)
        same(xp.abs(ours.transform(CX)), np.abs(theirs.transform(X)))


@test("ridge regression")
def ridge():
    target = X @ [1.0, 2.0, 3.0, 4.0, 5.0] + 1
    ours = linear_model.Ridge(solver="svd").fit(CX, xp.asarray(target))
    theirs = linear_model.Ridge(solver="svd").fit(X, target)
    same(ours.coef_, theirs.coef_)
    same(ours.predict(CX), theirs.predict(X))


@test("discriminant analysis")
def discriminants():
    ours = discriminant_analysis.LinearDiscriminantAnalysis().fit(CX, CY)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(X, Y)
    same(ours.predict(CX), theirs.predict(X))
    same(ours.predict_proba(CX), theirs.predict_proba(X))
    same(xp.abs(ours.transform(CX)), np.abs(theirs.transform(X)))


@test("parts for training and for testing")
def splits():
    ours = model_selection.train_test_split(CX, CY, random_state=0)
    theirs = model_selection.train_test_split(X, Y, random_state=0)
    for found, wanted in zip(ours, theirs):
        same(found, wanted)


run()

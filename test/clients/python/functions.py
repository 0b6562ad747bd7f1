"""Calls cloud code with the official Python client."""

import os

import leancloud
from leancloud import Object, User, cloud

from cases import case, refused, run, same

Movie = Object.extend("Movie")
Review = Object.extend("Review")


@case("a function gets its parameters, and knows who calls")
def _():
    same(cloud.run("greet", name="Python"), "Hello, Python. You are unknown.")
    user = User()
    user.sign_up("python", "secret")
    same(cloud.run.remote("greet"), "Hello, nobody. You are python.")


@case("objects go to a function and come back")
def _():
    movie = Movie(title="a film")
    movie.save()
    reviews = [Review(comment="number %d" % stars, stars=stars, movie=movie) for stars in (1, 2)]
    Review.save_all(reviews)
    answer = cloud.rpc("best_review", movie=movie)
    same((type(answer["best"]), answer["best"].id), (Review, reviews[1].id))
    same([review.get("stars") for review in answer["all"]], [2, 1])
    same(answer["best"].created_at, reviews[1].created_at)


@case("failures have the code and text of the cloud code")
def _():
    with refused(4242, "refused on purpose"):
        cloud.run("refuse", code=4242)
    with refused(141):
        cloud.run("refuse")
    with refused(404):
        cloud.run("absent")


@case("a hook refuses, and its text arrives")
def _():
    with refused(142, "No comment provided!"):
        Review(stars=1).save()


leancloud.init(os.environ["APP_ID"], app_key=os.environ["APP_KEY"], master_key=os.environ["MASTER_KEY"])
run()

"""The routes of the training panel.

GET    /api/training          the job's progress or outcome, the models, and with ?count the labels
POST   /api/training          {"method": "learned" or "density"}: start a job; density takes a "cost" too
DELETE /api/training          stop it
PUT    /api/training/model    {"model": NAME, or "" for the package's own}: use it everywhere
"""

from importlib.util import find_spec
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bodytext.methods import LEARNED
from bodytext.studio.labelling.labelling_routes import read_json
from bodytext.studio.labelling.training_jobs import TrainingJobs
from bodytext.studio.labels import LabelStore
from bodytext.studio.labels.conversion import read_labels
from bodytext.studio.web.app import AppPart, Refusal

DENSITY = "density"
TRAINABLE = (LEARNED, DENSITY)
MOST_COST = 1000  # of a wrongly kept line, against 1; far more than is of any use


def training_part(store: LabelStore, jobs: TrainingJobs) -> AppPart:
    """Return the training panel as a part of the app."""
    panel = _TrainingPanel(store, jobs)
    routes = [
        Route("/api/training", panel.describe, methods=["GET"]),
        Route("/api/training", panel.start, methods=["POST"]),
        Route("/api/training", panel.stop, methods=["DELETE"]),
        Route("/api/training/model", panel.use, methods=["PUT"]),
    ]
    return AppPart("training", routes)


class _TrainingPanel:
    def __init__(self, store: LabelStore, jobs: TrainingJobs) -> None:
        self.store, self.jobs = store, jobs

    def describe(self, request: Request) -> Response:
        description = self.jobs.state() | {
            "models": self.jobs.models(),
            "model": self.jobs.model_in_use(),
            "can_train": find_spec("torch") is not None,
        }
        if "count" in request.query_params:
            description |= self._count()
        return JSONResponse(description)

    def _count(self) -> dict[str, Any]:
        """Count the labelled pages that can be trained on."""
        try:
            pages, left = read_labels(self.store)
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        unusable = [page for page in left if page.reason != "is not done"]
        return {
            "pages": len(pages),
            "sites": len({page.domain for page in pages}),
            "left": [{"page": page.page, "reason": page.reason} for page in unusable],
        }

    async def start(self, request: Request) -> Response:
        sent = read_json(await request.body())
        method = sent.get("method", LEARNED)
        if method not in TRAINABLE:
            raise Refusal(422, f"method must be {' or '.join(TRAINABLE)}")
        cost = sent.get("cost", 1)
        if not (isinstance(cost, int | float) and 0 < cost <= MOST_COST):
            raise Refusal(422, f"cost must be a number greater than 0, at most {MOST_COST}")
        try:
            self.jobs.start(method, cost)
        except ValueError as problem:
            raise Refusal(409, str(problem)) from None
        return JSONResponse(self.jobs.state(), 202)

    def stop(self, _: Request) -> Response:
        self.jobs.stop()
        return JSONResponse(self.jobs.state())

    async def use(self, request: Request) -> Response:
        sent = read_json(await request.body())
        try:
            self.jobs.use(str(sent.get("model", "")))
        except ValueError as problem:
            raise Refusal(422, str(problem)) from None
        return JSONResponse({"model": self.jobs.model_in_use()})

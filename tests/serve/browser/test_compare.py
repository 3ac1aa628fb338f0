"""Two models on the same query."""

from __future__ import annotations

from dataclasses import replace

import r5
from r5.serve.handlers.session import Session
from tests.serve.browser.conftest import Open, question
from tests.serve.conftest import Running, running


def test_the_other_model_answers_beside_the_first(visit: Open, kinship_session: Session) -> None:
    rules = list(kinship_session.model.rules_)[:1]
    other = r5.GrammarReasoner.from_rules(r5.RuleSet.of(rules), kinship_session.model.vocabulary_)
    session = replace(kinship_session, other=other, other_name="small")
    state, source, target, relation = question(kinship_session, 3)
    with running(session) as (server, _):
        page = visit(server, state)
        said = page.locator("#other-model")
        said.get_by_text("small differs:").or_(said.get_by_text("small agrees:")).wait_for()
        assert source in said.inner_text() and target in said.inner_text()
        assert relation in page.locator("#case-title").inner_text()
        asked = {"graph": "test/3", "source": source, "target": target, "model": "other"}
        assert session.data is not None
        assert server.call("ask", asked)[1]["relation"] == other.predict(session.data.test[3]).relation


def test_without_a_second_model_there_is_none_to_ask(kinship: Running, kinship_session: Session) -> None:
    _, source, target, _ = question(kinship_session, 3)
    asked = {"graph": "test/3", "source": source, "target": target, "model": "other"}
    status, found = kinship.call("ask", asked)
    assert status == 404 and "--compare" in found["error"]["message"]

"""RAR: the formulas by hand, and what is found on small documentation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity
from bowerbird.retrieval.documentation import index_documentation, index_packs, usage_of
from bowerbird.retrieval.influenced import (
    best,
    negative_entities,
    negative_examples,
    positive_entities,
    positive_examples,
)
from bowerbird.retrieval.rar import AMOUNTS, METHODS, Context, retrieve_context

USED = ((0, 1), (1,), (), (1, 2, 3))
"""g(c) of four examples over four entities."""
IDF = np.array([2.0, 1.0, 3.0, 4.0])
TO_ENTITIES = np.array([1.0, 0.5, 0.0, 0.25])
TO_EXAMPLES = np.array([0.8, 0.4, 1.0, 0.1])


def test_positive_entities_are_those_of_the_examples_found() -> None:
    """4.2: with E_k the examples 0 and 1, entity 1 has 1 (0.8 + 0.4) and entity 0 has 2 x 0.8."""
    scores = positive_entities([0, 1], usage_of(USED), TO_EXAMPLES, IDF)
    np.testing.assert_allclose(scores, [1.6, 1.2, 0, 0])


def test_negative_entities_are_like_the_request_and_unlike_the_examples() -> None:
    """4.2: (1 - max S(u', g)) + lambda (1 + S(u, g)); what has nothing in common with the request is out."""
    rows = [np.array([0.9, 0.1, 0.0, 0.2]), np.array([0.3, 0.6, 0.0, 0.1])]
    scores = negative_entities(rows, TO_ENTITIES, 10.0)
    np.testing.assert_allclose(scores, [0.1 + 20, 0.4 + 15, 0, 0.8 + 12.5])
    np.testing.assert_allclose(negative_entities([], TO_ENTITIES, 2.0), [1 + 4, 1 + 3, 0, 1 + 2.5])


def test_positive_examples_use_the_entities_found() -> None:
    """4.3: with D_n = {0, 1}, example 0 has (2 x 1 + 1 x 0.5) / 2 and example 3 has 1 x 0.5 / 3."""
    scores = positive_examples({0, 1}, usage_of(USED), TO_ENTITIES, IDF)
    np.testing.assert_allclose(scores, [1.25, 0.5, 0, 0.5 / 3])


def test_negative_examples_use_others_and_are_like_the_request() -> None:
    """4.3: S_b over what is not in D_n, plus lambda S(u, u'): only example 3 uses other entities."""
    scores = negative_examples({0, 1}, usage_of(USED), TO_ENTITIES, IDF, TO_EXAMPLES, 10.0)
    np.testing.assert_allclose(scores, [8, 4, 10, (3 * 0 + 4 * 0.25) / 3 + 1])


def test_of_equal_scores_the_first_wins() -> None:
    """Ties have one order; nothing without a score, no name twice and nothing that was taken is found."""
    scores = np.array([0.5, 0.9, 0.5, 0.0, 0.9, 0.7])
    assert best(scores, 3, "abcdef") == [1, 4, 5]
    assert best(scores, 9, "abcdef") == [1, 4, 5, 0, 2]
    assert best(scores, 9, "abadbf") == [1, 5, 0]
    assert best(scores, 9, "abcdef", besides=[1]) == [4, 5, 0, 2]
    assert best(scores, 0, "abcdef") == best(np.zeros(0), 3, "") == []


def entity(symbol: str, description: str = "", kind: EntityKind = EntityKind.FUNCTION) -> GrammarEntity:
    return GrammarEntity(kind=kind, symbol=symbol, description=description, pack="p", language="powerquery")


def example(purpose: str, code: str = "", counter_example: bool = False) -> Example:
    return Example(
        purpose=purpose, code=code, pack="p", language="powerquery", counter_example=counter_example
    )


ENTITIES = (
    entity("Table.Sort", "Sorts the rows of a table."),
    entity("Order.Descending", "From large to small.", EntityKind.MEMBER),
    entity("Table.FirstN", "Keeps rows from the beginning."),
    entity("Text.Upper", "Makes all letters capital."),
    entity("Table.RowCount", "Number of rows."),
)
EXAMPLES = (
    example("Show the best players", "Table.FirstN(Table.Sort(t, {x, Order.Descending}), 3)"),
    example("Write a name in capital letters", "Text.Upper(x)"),
    example("Count the players", "Table.RowCount(t)"),
)
SHOWN = ((0, 1, 2), (3,), (4,))


def pack(
    entities: Sequence[GrammarEntity] = ENTITIES,
    examples: Sequence[Example] = EXAMPLES,
    used: Sequence[tuple[int, ...]] = SHOWN,
) -> Pack:
    manifest = Manifest(name="p", language="powerquery")
    return Pack(manifest, Path(), tuple(entities), tuple(examples), tuple(used), 0)


def symbols(context: Context) -> list[str]:
    return [hit.snippet.symbol for hit in context.entities if isinstance(hit.snippet, GrammarEntity)]


def test_examples_lead_to_entities_that_no_word_leads_to() -> None:
    """The paper's introduction: "the best players" needs an order, which no word of the request says."""
    documentation = index_packs([pack()])
    assert "Order.Descending" not in symbols(retrieve_context(documentation, "best players", "Ret_D"))
    context = retrieve_context(documentation, "best players", "RAR_D")
    assert {"Order.Descending", "Table.Sort", "Table.FirstN"} <= set(symbols(context))
    assert {hit.origin for hit in context.entities} == {"RAR_D positive"}


def test_entities_lead_to_examples_that_no_word_leads_to() -> None:
    """The request names an entity; the example that uses it says nothing of the kind."""
    documentation = index_packs([pack()])
    assert not retrieve_context(documentation, "sort rows", "Ret_E").examples
    hits = retrieve_context(documentation, "sort rows", "RAR_E").examples
    assert hits[0].snippet is EXAMPLES[0]
    assert hits[0].origin == "RAR_E positive"


def test_entities_beside_the_examples_found_are_found_too() -> None:
    """The examples may have been the wrong ones: what is like the request itself has room as well."""
    context = retrieve_context(index_packs([pack()]), "best players in capital letters", "RAR_D")
    assert {"Table.Sort", "Text.Upper"} <= set(symbols(context))
    amounts = replace(AMOUNTS, positive_entities=0.0, entities=1)
    [hit] = retrieve_context(index_packs([pack()]), "number of best players", "RAR_D", amounts).entities
    assert (hit.snippet, hit.origin) == (ENTITIES[4], "RAR_D negative")


def test_a_share_may_be_kept_for_what_is_found_independently() -> None:
    """The second of the paper's three ways (4.2); what a list leaves free the next ones fill."""
    amounts = replace(AMOUNTS, entities=4, positive_entities=0.25, independent_entities=0.25)
    context = retrieve_context(index_packs([pack()]), "number of rows of players", "RAR_D", amounts)
    origins = [hit.origin.removeprefix("RAR_D ") for hit in context.entities]
    assert origins == ["positive", "independent", "negative", "positive"]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_shows_what_it_says(method: str) -> None:
    """By the paper's names: D alone shows entities, E alone examples, both together both."""
    context = retrieve_context(index_packs([pack()]), "sort players", method)
    assert bool(context.entities) == ("D" in method)
    assert bool(context.examples) == ("E" in method.removeprefix("R"))


@pytest.mark.parametrize("method", METHODS)
def test_amounts_are_kept_and_scores_lie_between_0_and_1(method: str) -> None:
    """However much fits, no more is shown than was asked for."""
    amounts = replace(AMOUNTS, entities=2, examples=1)
    context = retrieve_context(index_packs([pack()]), "count the best rows of players", method, amounts)
    assert len(context.entities) <= 2
    assert len(context.examples) <= 1
    assert all(0 < hit.score <= 1 for hit in (*context.entities, *context.examples))


def test_the_order_of_a_pack_does_not_matter() -> None:
    """Pages may be read in any order: the same things are found, in the same order, equal scores included."""
    twins = [entity(f"Twin.N{letter}", "Like the other.") for letter in "abcdefgh"]
    entities = (*ENTITIES, *twins)
    found = []
    for seed in range(4):
        order = list(range(len(entities)))
        random.Random(seed).shuffle(order)
        place = {index: at for at, index in enumerate(order)}
        examples = list(zip(EXAMPLES, SHOWN, strict=True))
        random.Random(seed).shuffle(examples)
        shuffled = pack(
            [entities[index] for index in order],
            [one for one, _ in examples],
            [tuple(place[index] for index in used) for _, used in examples],
        )
        context = retrieve_context(index_packs([shuffled]), "the other best players, like twins")
        found.append([(hit.snippet.name, hit.score) for hit in (*context.entities, *context.examples)])
    assert found[0] == found[1] == found[2] == found[3]
    assert len(found[0]) > 8


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["", "???", "zyzzyva", "12 34", "\0"])
def test_words_that_nobody_wrote_find_nothing(method: str, text: str) -> None:
    """No word in common, no hits."""
    assert retrieve_context(index_packs([pack()]), text, method) == Context()


@pytest.mark.parametrize("method", METHODS)
def test_documentation_may_lack_anything(method: str) -> None:
    """No pack, no examples, no entities: the rest serves."""
    assert retrieve_context(index_packs([]), "sort players", method) == Context()
    without_examples = retrieve_context(index_packs([pack(examples=(), used=())]), "sort rows", method)
    assert bool(without_examples.entities) == ("D" in method)
    without_entities = pack(entities=(), used=((),) * len(EXAMPLES))
    assert not retrieve_context(index_packs([without_entities]), "sort players", method).entities


def test_what_each_example_uses_can_be_told() -> None:
    """In the order of the examples; code may use nothing, and there may be no code."""
    assert index_documentation(ENTITIES, EXAMPLES, [(0, 2), (), (1,)]).used == ((0, 2), (), (1,))
    assert index_documentation(ENTITIES, (), ()).used == ()


def test_code_that_must_fail_is_no_example() -> None:
    """Counter-examples are neither shown nor do they lead to entities."""
    wrong = example("Sort the players wrongly", "Table.Sort(1)", counter_example=True)
    documentation = index_packs([pack(examples=(wrong,), used=((3,),))])
    context = retrieve_context(documentation, "sort the players wrongly")
    assert not context.examples
    assert "Text.Upper" not in symbols(context)


def test_a_keyword_and_a_statement_of_one_name_are_found_once() -> None:
    """Two entities of one name would take the room of a third."""
    loops = (
        entity("for", "Repeats.", EntityKind.KEYWORD),
        entity("for", "Repeats.", EntityKind.STATEMENT),
        entity("while", "Repeats as long as something holds."),
    )
    context = retrieve_context(index_packs([pack(loops, (), ())]), "repeat", "RAR_D")
    assert sorted(symbols(context)) == ["for", "while"]


def test_packs_are_searched_together() -> None:
    """A private library stands beside its language; its examples lead to its own entities."""
    private = [replace(one, pack="q") for one in (entity("Shop.Total", "Sum of a cart."),)]
    other = pack(private, (example("Price of a cart", "Shop.Total(c)"),), ((0,),))
    context = retrieve_context(index_packs([pack(), other]), "price of the best players")
    assert {"Shop.Total", "Table.Sort"} <= set(symbols(context))


def test_a_left_out_example_leaves_no_trace() -> None:
    """Without an example everything is as if it had never been written."""
    documentation = index_packs([pack()])
    place = documentation.examples.index(EXAMPLES[0])
    left = documentation.without({place})
    never = index_packs([pack(examples=EXAMPLES[1:], used=SHOWN[1:])])
    assert left.examples == never.examples
    assert left.used == never.used
    assert left.idf.tolist() == never.idf.tolist()
    for method in METHODS:
        assert retrieve_context(left, "best players", method) == retrieve_context(
            never, "best players", method
        )


def test_very_large_documentation_is_borne() -> None:
    """A hundred thousand entities are indexed and searched; the one that fits comes first."""
    words = [f"{a}{b}{c}" for a in "bdgklmnprt" for b in "aeiou" for c in "bdgklmnprt"]
    rng = random.Random(1)
    entities = [
        entity(f"{word}.{other}")
        for word, other in zip(rng.choices(words, k=100_000), words * 200, strict=True)
    ]
    entities[77] = entity("Needle.Find")
    documentation = index_documentation(entities, [example("Look for needles")], [(77,)])
    for method in ("Ret_D", "RAR_E->D", "RAR_D->E"):
        assert symbols(retrieve_context(documentation, "needles", method))[0] == "Needle.Find"

"""What the bundled model has no answer to, made of parts for training: questions, requests, statements, half sentences
and words in a row, so that "beyond what I know" is learnt as everything else and not as a list.

The parts are words that the pronunciation lexicon knows. A sentence that holds one kept for tests is not made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from training import lexicon

_TOPICS = """
the weather|the war|the moon|the stars|the ocean floor|the government|the economy|the election|the football game|
the tennis final|the new song|the radio|my computer|my phone|my printer|my bicycle|my car|my back|my knee|my tooth|
my boss|my neighbor|my landlord|my sister|my brother|my grandmother|my cousin|our teacher|our garden|the neighbors|
the kitchen sink|the roof|the heating|the washing machine|the oven|the front door|the elevator|the bridge|the highway|
the airport|the harbor|the hospital|the post office|the police|the fire brigade|the mayor|the queen|the president|
the army|a passport|a visa|a credit card|a loan|the rent|the taxes|insurance|money|love|happiness|luck|time|history|
music|painting|poetry|chess|dancing|swimming|cooking|gardening|fishing|physics|chemistry|mathematics|biology|religion|
philosophy|electricity|gravity|lightning|thunder|earthquakes|volcanoes|glaciers|deserts|rivers|mountains|dinosaurs|
whales|sharks|eagles|mushrooms|potatoes|tomatoes|onions|garlic|rice|pasta|wine|beer|medicine|headaches|the flu|fever|
vitamins|sleep|dreams|memory|languages|latin|french|german|spanish|robots|rockets|satellites|airplanes|ships|trains|
engines|batteries|magnets|mirrors|glass|paper|plastic|steel|gold|silver|diamonds|clocks|watches|calendars|shoes|
trousers|a haircut|a wedding|a funeral|a birthday party|a picnic|the holidays|a flight|a taxi|a train ticket|
a good movie|the theater|the concert|the newspaper|a magazine article|a love letter|the alphabet|an old castle|
a ghost|a dragon|a pirate|the pyramids|the jungle|the north pole|the equator|the sun and the planets|a telescope|
a microscope
"""
_QUESTIONS = """
how does {t} work|how do I get {t}|how do I fix {t}|how do I learn about {t}|how do people use {t}|how old is {t}|
how long is {t}|how far is {t}|how heavy is {t}|how big is {t}|how dangerous is {t}|how is {t} made|how did {t} begin|
how often do you think of {t}|how can I find {t}|how can I pay for {t}|how would you explain {t}|
why is {t} so important|why do we need {t}|why do people like {t}|why does nobody like {t}|why did they change {t}|
why is there {t}|who invented {t}|who discovered {t}|who owns {t}|who knows about {t}|who wrote about {t}|
who was the first with {t}|who is responsible for {t}|who told you about {t}|when did {t} start|when will {t} be over|
when was {t} discovered|when do I get {t}|where does {t} come from|where can I see {t}|where did you put {t}|
where is {t} now|where do I buy {t}|where did they find {t}|what is {t} made of|what do you think of {t}|
what do you know about {t}|what happened to {t}|what is wrong with {t}|what should I do about {t}|
what is so special about {t}|what can I do with {t}|what would the world be without {t}|what did he say about {t}|
what is the history of {t}|what is the use of {t}|which is better, {t} or {u}|which do you prefer, {t} or {u}|
do you like {t}|do you believe in {t}|do you want {t}|did you hear about {t}|did you see {t}|have you ever seen {t}|
have they repaired {t}|is {t} any good|is {t} dangerous|is there {t} on mars|are you afraid of {t}|
are {t} and {u} the same|can you explain {t}|can you show me {t}|can you help me with {t}|can I borrow {t}|
could you look after {t}|would you like {t}|should I sell {t}|should we worry about {t}|will {t} be better next year|
was {t} there yesterday|does {t} hurt|does {t} need {u}|what has {t} to do with {u}
"""
_REQUESTS = """
explain {t} to me|describe {t}|find {t} for me|look for {t}|order {t} for tomorrow|book {t} for tonight|
buy {t} online|send {t} to my office|call {m} about {t}|remind me of {t}|remind me to call {m}|write an email to {m}|
write a poem about {t}|sing something about {t}|draw a picture of {t}|play a song about {t}|turn off {t}|
turn down {t}|switch on {t}|open a file about {t}|read me an article about {t}|search for {t}|show me pictures of {t}|
take a note about {t}|wake me up at sunrise|start the timer|stop the music|make it louder|lower the volume|
call an ambulance|ring {m} tonight|translate {t}|teach me {t}|help me understand {t}|let us talk about {t}|
give me some advice about {t}|give me a recipe with {t}|put {t} on my list|forget about {t}|tell {m} about {t}|
ask {m} about {t}|bring {t} to {m}|order a pizza with {t}|check {t} for me|compare {t} with {u}
"""
_PEOPLE = """
my mother|my father|my aunt|my uncle|my wife|my husband|my daughter|my son|my friend|my teacher|my lawyer|my dentist|
our neighbor|the plumber|the gardener|the manager|the mechanic|the nurse|the captain|the pilot|the baker|the students|
the children|the twins|an old man|a young woman|a stranger|somebody|everybody here|nobody|he|she|they|we|you|I
"""
_DID = """
saw|forgot|lost|found|sold|bought|painted|broke|liked|hated|wanted|needed|remembered|talked about|laughed about|
dreamed of|paid for|asked for|looked at|ran after|waited for|walked around|cleaned|repaired|borrowed|stole|hid|
carried|watched|missed|wrote about|read about|complained about|was afraid of|knew nothing about|never understood|
could not find|had to leave|wanted to see|decided to keep|has just ordered|had heard about|would rather have|
is looking for
"""
_WHEN = """
|||yesterday|last week|this morning|before lunch|after school|in the rain|in the middle of the night|on the way home|
behind the station|in the old town|near the river|for a whole year|without a word|again and again|on the train|
because of {u}|instead of {u}|and then {u}|together with {u}|when the lights went out|while it was raining|at the end
"""
_ABOUT_THINGS = """
the {a} is under the {b}|my {a} was bigger than the {b}|a {a} is no {b}|every {a} needs a {b}|
no {a} is like another {a}|there was once a {a} and a {b}|there was many a {a} behind the {b}|
nobody saw the {a} or the {b}|who put the {a} into the {b}|why is the {a} on the {b}|where is the {a} for the {b}|
is there a {a} in your {b}|I need a {a} for my {b}|I lost the {a} and found the {b}|take the {a} out of the {b}|
without the {a} the {b} is nothing|the {a} with the {b} belongs to me|first the {a} broke and then the {b}|
this {a} looks like a {b}|do not touch the {a} or the {b}|we put a {a} beside every {b}|her {a} and his {b} are gone|
they have a {a} but no {b}|a {a} for a {b} is a bad trade|if the {a} falls the {b} falls too|the {b} has no {a}|
between the {a} and the {b} was a wall|half of the {a} is in the {b}|can a {a} be a {b}|how can a {a} carry a {b}|
one {a} and a little {b}|the old {a} in the new {b}|some {a} or other {b}|the last {a} was better than the first {b}
"""
_HALVES = """
and then the|if I could only|because of the|what about the|I was going to|maybe we should|it was not the|so that the|
in the middle of|when we came to|as I was saying, the|the thing is that|it depends on|wait, the|no, not the|
what if the|how come the|I mean the|that is what the|you know, the|but not with the|after all the|
who would have thought that the|well, about the|anyway, the|I wonder whether the|by the way, the|something like the|
not only the|as soon as the
"""
_SOUNDS = (
    "oh dear|never mind|wait a moment|just a second|hang on|let me think|I am not sure|whatever|I do not care|"
    "that is strange|what a day|it is so cold here|I am hungry|I am tired|be quiet please|stop it|leave it there|"
    "give it back|come over here|look at that|mind the step|not now|maybe later|I was not talking to you|"
    "can you hear the birds|the phone is ringing|somebody is knocking|dinner is ready|where are my glasses|"
    "one moment, I am on the phone|I was just thinking aloud|this is not for you|are we there yet|it smells good"
)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace("\n", "").split("|"))


_topics, _questions, _requests, _people, _did, _when, _about_things, _halves, _sounds = (
    _parts(text)
    for text in (_TOPICS, _QUESTIONS, _REQUESTS, _PEOPLE, _DID, _WHEN, _ABOUT_THINGS, _HALVES, _SOUNDS)
)  # fmt: skip


def kept_pattern(kept: Sequence[str]) -> re.Pattern[str]:
    """Matches a text that holds one of these sentences, whatever fills their slots."""
    return re.compile("|".join(rf"\b{re.sub(r'{.}', '[a-z]+', sentence)}\b" for sentence in kept), re.I)


def sentence(rng: random.Random, words: Sequence[str], kept: re.Pattern[str]) -> str:
    """One sentence beyond the domain. `words`: any words, of which some are put in a row; may be empty."""
    kinds = (_question, _question, _request, _statement, _statement, _things, _half, _row)
    while True:
        text = rng.choice(kinds)(rng, words) if rng.random() < 0.97 else rng.choice(_sounds)
        if not kept.search(text):
            return text


def _fill(rng: random.Random, shape: str) -> str:
    first, second = rng.sample(_topics, 2)
    if rng.random() < 0.25:  # any thing may be a topic
        first = f"the {rng.choice(lexicon.ECHO_WORDS)}"
    return shape.format(t=first, u=second, m=rng.choice(_people[:27]))


def _question(rng: random.Random, words: Sequence[str]) -> str:
    return _fill(rng, rng.choice(_questions))


def _request(rng: random.Random, words: Sequence[str]) -> str:
    return rng.choice(("", "", "please ", "can you ", "I want you to ")) + _fill(rng, rng.choice(_requests))


def _statement(rng: random.Random, words: Sequence[str]) -> str:
    start = rng.choice(("", "", "", "I heard that ", "I think ", "maybe ", "yesterday "))
    text = f"{start}{rng.choice(_people)} {rng.choice(_did)} {{t}} {rng.choice(_when)}"
    return _fill(rng, text).strip()


def _things(rng: random.Random, words: Sequence[str]) -> str:
    first, second = rng.sample(lexicon.ECHO_WORDS, 2)
    shape = rng.choice((*_about_things, *_background(rng)))
    return shape.format(a=first, b=second)


def _background(rng: random.Random) -> list[str]:
    """Shapes made of a subject, a verb and two things."""
    return [
        f"{rng.choice(_people)} {rng.choice(_did)} {rng.choice(('the', 'a', 'my'))} {{a}} {link} {{b}}"
        for link in ("and the", "with the", "near my", "instead of a", "under the", "for a", "without the", "from the")
    ]


def _half(rng: random.Random, words: Sequence[str]) -> str:
    return f"{rng.choice(_halves)} {rng.choice(('', rng.choice(lexicon.ECHO_WORDS)))}".strip()


def _row(rng: random.Random, words: Sequence[str]) -> str:
    """Three to six words without a sense. Fewer would be no sentence, and a number or name could be meant by them."""
    known = lexicon.ECHO_WORDS
    return " ".join(rng.choice(words if words and rng.random() < 0.5 else known) for _ in range(rng.randint(3, 6)))

"""How users say things: for each kind of question its phrasings, one a line. Data only.

`{a}`, `{b}`, `{n}` and `{w}` are filled in by `training/grammar.py`; every sixth phrasing is kept for tests.
"""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


HOW_ARE_YOU = _lines("""
    how are you
    how are you doing
    how are you today
    how do you feel
    how is it going
    are you well
    how have you been
""")

THANKS = _lines("""
    thank you
    thanks a lot
    thank you very much
    thanks
    that was helpful, thank you
    great, thanks
    many thanks
    thanks for your help
""")

GOODBYE = _lines("""
    goodbye
    bye
    see you later
    bye bye
    I have to go now
    good night
    that is all, goodbye
    see you tomorrow
""")

INTRODUCE = _lines("""
    my name is {a}
    I am {a}
    call me {a}
    I'm called {a}
    you can call me {a}
    hello, my name is {a}
    people call me {a}
    hi, I am {a}
    the name is {a}
""")

RECALL_NAME = _lines("""
    what is my name
    do you know my name
    who am I
    what am I called
    do you remember my name
    can you tell me my name
    tell me my name
""")

OWN_NAME = _lines("""
    what is your name
    what's your name
    what are you called
    tell me your name
    may I ask your name
    do you have a name
    what should I call you
""")

WHO = _lines("""
    who are you
    who am I talking to
    tell me who you are
    who is this
    who is speaking
    and who are you
    what are you
""")

JOB = _lines("""
    where do you work
    what is your job
    what do you do
    what kind of work do you do
    tell me about your work
    what do you do for a living
    where is your job
""")

PRICE = _lines("""
    how much is {a}
    what does {a} cost
    what is the price of {a}
    how much for {a}
    how much does {a} cost
    tell me the price of {a}
    what do you want for {a}
""")

OPENING = _lines("""
    when do you open
    what time do you open
    when are you open
    at what time do you open
    tell me when you open
    when can I come in the morning
    what is your opening time
""")

CLOSING = _lines("""
    when do you close
    what time do you close
    until when are you open
    at what time do you close
    tell me when you close
    when do you shut
    what is your closing time
""")

ECHO = _lines("""
    say {a}
    repeat after me, {a}
    say the word {a}
    repeat {a}
    please say {a}
    can you say {a}
    say this, {a}
    tell me, {a}
    repeat the word {a}
    now say {a}
    I want you to say {a}
    the word is {a}, say it
""")

SUM = _lines("""
    what is {a} plus {b}
    how much is {a} plus {b}
    add {a} and {b}
    {a} plus {b}
    what do you get when you add {a} and {b}
    what is the sum of {a} and {b}
    tell me {a} plus {b}
    what is {a} and {b}
    can you add {b} to {a}
    how much is {a} and {b}
    calculate {a} plus {b}
    what's {a} plus {b}
""")

DIFFERENCE = _lines("""
    what is {a} minus {b}
    how much is {a} minus {b}
    take {b} away from {a}
    {a} minus {b}
    what is {a} take away {b}
    tell me {a} minus {b}
    what is left when you take {b} from {a}
    subtract {b} from {a}
    how much is {a} less {b}
    calculate {a} minus {b}
    what's {a} minus {b}
    what do you get when you take {b} from {a}
""")

WHICH_IS_BIGGER = _lines("""
    which is bigger, {a} or {b}
    which number is bigger, {a} or {b}
    what is more, {a} or {b}
    which is larger, {a} or {b}
    is {a} or {b} the bigger number
    which one is bigger, {a} or {b}
""")

IS_IT_BIGGER = _lines("""
    is {a} {w} than {b}
    tell me, is {a} {w} than {b}
    do you think {a} is {w} than {b}
    is the number {a} {w} than {b}
    would you say {a} is {w} than {b}
    is it true that {a} is {w} than {b}
""")

COUNT_UP = _lines("""
    count to {b}
    please count to {b}
    count from one to {b}
    can you count to {b}
    I want you to count to {b}
    count up to {b}
    let me hear you count to {b}
""")

COUNT_DOWN = _lines("""
    count down from {a}
    please count down from {a}
    count backwards from {a}
    can you count down from {a}
    I want you to count down from {a}
    start at {a} and count down
""")

AFTER = _lines("""
    what comes after {a}
    which {n} comes after {a}
    what is the {n} after {a}
    which {n} follows {a}
    tell me the {n} after {a}
    what {n} is next after {a}
    what comes next after {a}
""")

BEFORE = _lines("""
    what comes before {a}
    which {n} comes before {a}
    what is the {n} before {a}
    what {n} is right before {a}
    tell me the {n} before {a}
    name the {n} before {a}
    which {n} is just before {a}
""")

OPPOSITE = _lines("""
    what is the opposite of {a}
    tell me the opposite of {a}
    the opposite of {a}
    what's the opposite of {a}
    do you know the opposite of {a}
    name the opposite of {a}
    which word is the opposite of {a}
    give me the opposite of {a}
""")

COLOR = _lines("""
    what color is {a}
    which color is {a}
    tell me the color of {a}
    what is the color of {a}
    do you know what color {a} is
    what color does {a} have
    which color does {a} have
""")

CAPITAL_CITY = _lines("""
    what is the capital of {a}
    tell me the capital of {a}
    which city is the capital of {a}
    do you know the capital of {a}
    what's the capital of {a}
    the capital of {a}
    name the capital of {a}
""")

LEGS = _lines("""
    how many legs does {a} have
    tell me how many legs {a} has
    how many legs has {a}
    do you know how many legs {a} has
    what number of legs does {a} have
    how many legs are there on {a}
""")

FOOD = _lines("""
    what does {a} eat
    tell me what {a} eats
    what does {a} like to eat
    what is the food of {a}
    do you know what {a} eats
    what would {a} eat
""")

HOMES = _lines("""
    where does {a} live
    tell me where {a} lives
    where is the home of {a}
    do you know where {a} lives
    in which place does {a} live
    where do I find {a}
""")

STORY = _lines("""
    tell me a story about {a}
    please tell me a story about {a}
    I want a story about {a}
    can you tell me a story about {a}
    do you know a story about {a}
    let me hear a story about {a}
    a story about {a}, please
""")

JOKE = _lines("""
    tell me a joke
    do you know a joke
    make me laugh
    say something funny
    I would like to hear a joke
    can you tell me a joke
    please tell me a joke
""")

# What may stand before and after a question; nothing is the commonest.
OPENINGS = ("",) * 5 + (
    "hey, ", "okay, ", "um, ", "so, ", "well, ", "please, ", "now, ", "excuse me, ", "one question, ", "right, ",
    "hello, ", "all right, ", "uh, ", "oh, ", "listen, ",
)  # fmt: skip
ENDINGS = ("",) * 6 + (", please", " please", ", thank you", ", if you can")

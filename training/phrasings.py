"""How users say things: for each kind of question its phrasings, one a line. Data only.

`{a}`, `{b}`, `{n}` and `{w}` are filled in by `training/grammar.py`; every sixth phrasing is kept for tests. A new
phrasing here would change what the tests say: `training/more_phrasings.py` is the place for it.
"""

from __future__ import annotations


def lines(text: str) -> tuple[str, ...]:
    """One phrasing a line."""
    return tuple(line.strip() for line in text.strip().splitlines())


GREETINGS = lines("""
    hello
    hi
    good morning
    good evening
    hey there
    hi there
    hello there
    good afternoon
    hey
""")

HOW_ARE_YOU = lines("""
    how are you
    how are you doing
    how are you today
    how do you feel
    how is it going
    are you well
    how have you been
    are you all right
    are you doing well
    tell me how you are
    how are things
    is everything well with you
    are you happy today
    how is your day going
    are you okay
""")

THANKS = lines("""
    thank you
    thanks a lot
    thank you very much
    thanks
    that was helpful, thank you
    great, thanks
    many thanks
    thanks for your help
    thank you so much
    okay, thank you
    thanks, that was good
    that helps, thanks
    good, thank you very much
    very kind, thank you
    thanks so much
    I thank you
    thank you for that
    good, thank you
    how kind
    thanks again
""")

GOODBYE = lines("""
    goodbye
    bye
    see you later
    bye bye
    I have to go now
    good night
    that is all, goodbye
    see you tomorrow
    I must leave now
    talk to you later
    see you
    goodbye for now
    that was all for today, bye
    good night, sleep well
    take care
    have a good day
    bye for today
    we are done for today
    until next time
    have a nice evening
""")

INTRODUCE = lines("""
    my name is {a}
    I am {a}
    call me {a}
    I'm called {a}
    you can call me {a}
    hello, my name is {a}
    people call me {a}
    hi, I am {a}
    the name is {a}
    they call me {a}
    this is {a} speaking
    it is {a} here
    {a} is my name
    well, I am called {a}
    I would like to be called {a}
    good morning, I am {a}
    you are talking to {a}
    everybody calls me {a}
    so, my name is {a}
    let me tell you my name, it is {a}
    my friends call me {a}
    I go by {a}
    {a} is what they call me
    you may call me {a}
    they named me {a}
    I am {a}, nice to meet you
    {a}, that is me
    my first name is {a}
    my mother named me {a}
    please call me {a}
    remember my name, it is {a}
    if you want to know, I am {a}
    the person talking to you is {a}
    put me down as {a}
    I answer to {a}
    at home they call me {a}
""")

RECALL_NAME = lines("""
    what is my name
    do you know my name
    who am I
    what am I called
    do you remember my name
    can you tell me my name
    tell me my name
    have I told you my name
    say my name
    do you know who I am
    what did I say my name was
    please tell me what my name is
    and what is my name
    what name did I give you
    can you say my name
    who is talking to you
    do you still know my name
    what do you call me
    remember who I am
    what was my name again
    did I tell you my name
    my name, please
    how do I want to be called
    which name is mine
    I gave you my name, what was it
""")

OWN_NAME = lines("""
    what is your name
    what's your name
    what are you called
    tell me your name
    may I ask your name
    do you have a name
    what should I call you
    do you know your own name
    please tell me your name
    say your name
    and your name is
    which name do you have
    can you tell me what you are called
    I forgot your name, what is it
    who are you, what is your name
    have you got a name
    how do people call you
    what name do you go by
    your name, please
    what do they call you
    how should I call you
    what is the name of the one I am talking to
    did they give you a name
    I would like to know your name
""")

WHO = lines("""
    who are you
    who am I talking to
    tell me who you are
    who is this
    who is speaking
    and who are you
    what are you
    please tell me who you are
    say who you are
    can you tell me who you are
    with whom am I talking
    who am I speaking to
    and who is that
    do you know who you are
    so who might you be
    I would like to know who you are
    introduce yourself
    tell me about yourself
    who do I have here
    what is this I am talking to
    what kind of program are you
    say something about yourself
""")

JOB = lines("""
    where do you work
    what is your job
    what do you do
    what kind of work do you do
    tell me about your work
    what do you do for a living
    where is your job
    what work do you do
    where are you working
    tell me where you work
    do you have a job
    at what place do you work
    which job do you have
    can you tell me where you work
    what is your work
    what are you here for
    tell me what you do
    where do you spend your day
    which place do you work in
    what do you do all day
    where can I find you at work
    in what kind of place do you work
    what place is this
    for whom do you work
""")

PRICE = lines("""
    how much is {a}
    what does {a} cost
    what is the price of {a}
    how much for {a}
    how much does {a} cost
    tell me the price of {a}
    what do you want for {a}
    can you tell me what {a} costs
    what would {a} cost me
    how expensive is {a}
    I would like {a}, how much is that
    what do I pay for {a}
    tell me how much {a} is
    do you know the price of {a}
    and {a}, what does it cost
    how many dollars is {a}
    what is {a} going to cost
    I want to buy {a}, what is the price
    the price of {a}, please
    what is {a} worth
    {a}, how much
    I need the price of {a}
    how much money is {a}
    how much do I pay for {a}
    is {a} expensive, what does it cost
    what do you charge for {a}
    how much would I pay for {a}
    {a}, what is the price of that
""")

OPENING = lines("""
    when do you open
    what time do you open
    when are you open
    at what time do you open
    tell me when you open
    when can I come in the morning
    what is your opening time
    when does it open
    from when are you open
    can you tell me when you open
    how early do you open
    when can I visit in the morning
    what time can I come in
    do you know when you open
    how early can I come
    at what hour do you open
    and when do you open
    when are the doors open
    when is opening time
    when does the day start for you
    how soon are you open
    what time do the doors open
    I come early, when do you open
    what is the first hour that you are open
    from what time can I come
    when do you start
    at what time does your day begin
    how early are you there
    what time in the morning do you open
""")

CLOSING = lines("""
    when do you close
    what time do you close
    until when are you open
    at what time do you close
    tell me when you close
    when do you shut
    what is your closing time
    when does it close
    how late are you open
    can you tell me when you close
    how late can I come
    until what time are you open
    when are you closed
    do you know when you close
    at what hour do you close
    and when do you close
    what time are you closing
    when must I be out
    when is closing time
    how long are you open
    when do the doors close
    what is the latest I can come
    when does the day end for you
    I come late, when do you close
    how long can I stay
    when do I have to leave
    how long into the evening are you open
    what time in the evening do you close
    when is it over
""")

ECHO = lines("""
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
    {a}, say that
    {a}, can you repeat that
    after me, {a}
    now repeat {a}
    can you repeat {a}
    please repeat after me, {a}
    I say {a}, and you say it too
    say it after me, {a}
    the word {a}, please repeat it
    could you say {a}
    here is a word, {a}
    let me hear you say {a}
    repeat these words, {a}
    {a}, now you
    try to say {a}
    the next word is {a}, repeat it
    what do you hear, {a}
    my word is {a}, say that back to me
    say back to me {a}
    speak after me, {a}
    you have to say {a}
    would you say {a}, please
    {a}, say the same
    say back {a}
    {a}, repeat that please
    {a}, and now you say it
    I want to hear {a}
    repeat what I say, {a}
    listen and repeat, {a}
    say {a} for me
    let us hear {a}
    would you repeat {a}
    {a}, what did I say
    say the following, {a}
    I would like to hear {a} from you
    {a}, your turn
    come on, say {a}
    and now {a}
    {a}, please repeat
    say what I say, {a}
    {a}, say it back
    I read {a} here, read it to me
    give me {a}
    another one, {a}
    these are the words, {a}, repeat them
""")

SUM = lines("""
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
    what makes {a} plus {b}
    can you tell me {a} plus {b}
    I need {a} plus {b}
    please add {b} to {a}
    {a} and {b} together, how much is that
    give me {a} plus {b}
    how many are {a} and {b}
    work out {a} plus {b}
    do you know {a} plus {b}
    if I add {a} and {b}, what do I get
    put {a} and {b} together
    what do {a} and {b} make
    the sum of {a} and {b}
""")

DIFFERENCE = lines("""
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
    can you tell me {a} minus {b}
    I need {a} minus {b}
    please take {b} from {a}
    {b} from {a}, how much is that
    give me {a} minus {b}
    work out {a} minus {b}
    do you know {a} minus {b}
    if I take {b} from {a}, what do I get
    what remains of {a} without {b}
    what is {a} less {b}
    how much is {a} take away {b}
    I had {a} and lost {b}, how many are left
    what do I have when I take {b} away from {a}
""")

WHICH_IS_BIGGER = lines("""
    which is bigger, {a} or {b}
    which number is bigger, {a} or {b}
    what is more, {a} or {b}
    which is larger, {a} or {b}
    is {a} or {b} the bigger number
    which one is bigger, {a} or {b}
    tell me which is bigger, {a} or {b}
    do you know which is bigger, {a} or {b}
    {a} or {b}, which is bigger
    which of them is bigger, {a} or {b}
    what is the bigger number, {a} or {b}
    {a} and {b}, which one is larger
    is {a} bigger or {b}
    of {a} and {b}, which is bigger
    which is more, {a} or {b}
    compare {a} and {b}
    I have {a} and {b}, which is bigger
    between {a} and {b}, which is bigger
    do you know if {a} or {b} is bigger
    what number is bigger, {a} or {b}
""")

IS_IT_BIGGER = lines("""
    is {a} {w} than {b}
    tell me, is {a} {w} than {b}
    do you think {a} is {w} than {b}
    is the number {a} {w} than {b}
    would you say {a} is {w} than {b}
    is it true that {a} is {w} than {b}
    {a}, is it {w} than {b}
    do you know if {a} is {w} than {b}
    say if {a} is {w} than {b}
    can {a} be {w} than {b}
    I think {a} is {w} than {b}, is that right
    am I right that {a} is {w} than {b}
    please tell me if {a} is {w} than {b}
    {a} is {w} than {b}, right
    can it be that {a} is {w} than {b}
    I think {a} is {w} than {b}, do you agree
    somebody said {a} is {w} than {b}, is that right
    {a} must be {w} than {b}, no
    I bet {a} is {w} than {b}
    they say {a} is {w} than {b}
    could {a} be {w} than {b}
""")

COUNT_UP = lines("""
    count to {b}
    please count to {b}
    count from one to {b}
    can you count to {b}
    I want you to count to {b}
    count up to {b}
    let me hear you count to {b}
    start at one and count to {b}
    say the numbers up to {b}
    count for me to {b}
    would you count up to {b}
    can you count from one to {b}
    now count to {b}
    count all the way to {b}
    say all numbers from one to {b}
""")

COUNT_DOWN = lines("""
    count down from {a}
    please count down from {a}
    count backwards from {a}
    can you count down from {a}
    I want you to count down from {a}
    start at {a} and count down
    count down for me from {a}
    from {a} count down
    would you count down from {a}
    now count down from {a}
    say the numbers backwards from {a}
    count from {a} down to one
    can you count backwards from {a}
""")

AFTER = lines("""
    what comes after {a}
    which {n} comes after {a}
    what is the {n} after {a}
    which {n} follows {a}
    tell me the {n} after {a}
    what {n} is next after {a}
    what comes next after {a}
    do you know what comes after {a}
    can you tell me which {n} comes after {a}
    and after {a}
    what follows {a}
    say the {n} after {a}
    after {a} comes what {n}
    please tell me what comes after {a}
    give me the next {n} after {a}
    which one comes next after {a}
""")

BEFORE = lines("""
    what comes before {a}
    which {n} comes before {a}
    what is the {n} before {a}
    what {n} is right before {a}
    tell me the {n} before {a}
    name the {n} before {a}
    which {n} is just before {a}
    do you know what comes before {a}
    can you tell me which {n} comes before {a}
    and before {a}
    which {n} is in front of {a}
    say the {n} before {a}
    before {a} comes what {n}
    please tell me what comes before {a}
    give me the {n} that comes before {a}
    which one comes right before {a}
""")

OPPOSITE = lines("""
    what is the opposite of {a}
    tell me the opposite of {a}
    the opposite of {a}
    what's the opposite of {a}
    do you know the opposite of {a}
    name the opposite of {a}
    which word is the opposite of {a}
    give me the opposite of {a}
    can you tell me the opposite of {a}
    what would be the opposite of {a}
    and the opposite of {a}
    say the opposite of {a}
    {a}, what is the opposite of that
    I need the opposite of {a}
    what is not {a} but the opposite
    please give me the opposite of {a}
""")

COLOR = lines("""
    what color is {a}
    which color is {a}
    tell me the color of {a}
    what is the color of {a}
    do you know what color {a} is
    what color does {a} have
    which color does {a} have
    can you tell me what color {a} is
    say what color {a} is
    {a}, what color is it
    do you know the color of {a}
    of what color is {a}
    and what color is {a}
    what is the usual color of {a}
""")

CAPITAL_CITY = lines("""
    what is the capital of {a}
    tell me the capital of {a}
    which city is the capital of {a}
    do you know the capital of {a}
    what's the capital of {a}
    the capital of {a}
    name the capital of {a}
    can you tell me the capital of {a}
    which is the capital of {a}
    say the capital of {a}
    {a}, what is its capital
    what city is the capital of {a}
    and the capital of {a}
    what would be the capital of {a}
""")

LEGS = lines("""
    how many legs does {a} have
    tell me how many legs {a} has
    how many legs has {a}
    do you know how many legs {a} has
    what number of legs does {a} have
    how many legs are there on {a}
    can you tell me how many legs {a} has
    say how many legs {a} has
    {a}, how many legs does it have
    and how many legs does {a} have
    how many legs would {a} have
    on how many legs does {a} walk
""")

FOOD = lines("""
    what does {a} eat
    tell me what {a} eats
    what does {a} like to eat
    what is the food of {a}
    do you know what {a} eats
    what would {a} eat
    can you tell me what {a} eats
    say what {a} eats
    {a}, what does it eat
    and what does {a} eat
    what do I give {a} to eat
    what food does {a} like
""")

HOMES = lines("""
    where does {a} live
    tell me where {a} lives
    where is the home of {a}
    do you know where {a} lives
    in which place does {a} live
    where do I find {a}
    can you tell me where {a} lives
    say where {a} lives
    {a}, where does it live
    and where does {a} live
    where can I find {a}
    at what place does {a} live
""")

STORY = lines("""
    tell me a story about {a}
    please tell me a story about {a}
    I want a story about {a}
    can you tell me a story about {a}
    do you know a story about {a}
    let me hear a story about {a}
    a story about {a}, please
    tell me about {a}, a story
    I would like to hear a story about {a}
    give me a story about {a}
    now tell me a story about {a}
    could you tell me a story about {a}
    do you have a story about {a}
    I like stories, tell me one about {a}
""")

JOKE = lines("""
    tell me a joke
    do you know a joke
    make me laugh
    say something funny
    I would like to hear a joke
    can you tell me a joke
    please tell me a joke
    tell me something funny
    I want to hear a joke
    give me a joke
    another joke, please
    do you have a joke for me
    could you tell me a joke
    let me hear a joke
""")

# What may stand before and after a question; nothing is the commonest.
OPENINGS = ("",) * 5 + (
    "hey, ", "okay, ", "um, ", "so, ", "well, ", "please, ", "now, ", "excuse me, ", "one question, ", "right, ",
    "hello, ", "all right, ", "uh, ", "oh, ", "listen, ",
)  # fmt: skip
ENDINGS = ("",) * 6 + (", please", " please", ", thank you", ", if you can")

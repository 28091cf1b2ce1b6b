"""More phrasings that only training uses, beside its share of `training/phrasings.py`. Data only.

Nothing here may contain a phrasing that is kept for tests, and nothing here changes what a test says.
"""

from __future__ import annotations

from training import phrasings
from training.phrasings import lines

_GOODBYE = lines("""
    bye, see you soon
    goodbye and thanks
    goodbye, until tomorrow
    okay, bye
    okay then, goodbye
    so long
    farewell
    sleep well
    I am going to bed now
    time to sleep, bye
    night night
    good evening and goodbye
    have a good evening
    have a nice day
    have a pleasant day
    enjoy your evening
    enjoy the rest of the day
    I am leaving now
    I have to leave
    I must go
    I need to go now
    I should get going
    it is late, I have to go
    I am off now
    I am going home now
    time for me to go
    I have got to run
    that's it for today
    that is all for now
    that is all I wanted, bye
    that was it, goodbye
    we can stop here
    let us stop for today
    we are finished
    let's end it here
    I am done, thanks, bye
    nothing more, goodbye
    no more questions, bye
    see you again
    see you soon
    see you next week
    see you on Monday
    see you next time
    until tomorrow
    until later
    until we meet again
    talk to you tomorrow
    talk to you again soon
    we will talk again
    I will call again tomorrow
    I will be back later
    it was nice talking to you
    it was good to talk to you, bye
    nice talking to you, goodbye
    take care of yourself
    take care, bye
    all the best
    all the best, goodbye
    bye then
    bye, take care
    well, goodbye
    well then, see you
    so, I have to go
    thank you and goodbye
    thanks, bye
    good to know, bye now
    bye now
    goodbye, my friend
    hang up now, bye
    the talk is over, goodbye
    sweet dreams
    my bus is here, I have to go
    somebody is at the door, bye
""")

_INTRODUCE = lines("""
    hey, I am {a}
    hi, my name is {a}
    hey, my name is {a}
    hello, I am {a}
    hello there, I am {a}
    hello, this is {a}
    hello, I'm {a}
    hello, people call me {a}
    hello, my first name is {a}
    good morning, my name is {a}
    good evening, my name is {a}
    good afternoon, this is {a}
    okay, my name is {a}
    well, my name is {a}
    my name's {a}
    and my name is {a}
    I am {a}, by the way
    by the way, my name is {a}
    my name is {a}, by the way
    my name is {a}, and yours
    my name is {a}, nice to meet you
    my name is {a}, how are you
    my name is {a}, remember that
    my full name is long, but call me {a}
    I'm {a}
    hi, I'm {a}
    hi, it's {a}
    it's {a}
    it's me, {a}
    here is {a}
    here speaks {a}
    {a} here
    {a} speaking
    {a} is speaking
    {a} is the name
    I am known as {a}
    my parents named me {a}
    my parents called me {a}
    my sister calls me {a}
    most people call me {a}
    everyone calls me {a}
    call me {a}, that is shorter
    just call me {a}
    you can say {a} to me
    the name I go by is {a}
    your user is called {a}
    today you talk to {a}
    do you know me, I am {a}
    I have not told you my name, it is {a}
    you asked for my name, it is {a}
    you should know that I am {a}
    I want you to know my name, it is {a}
    write down my name, it is {a}
    keep in mind that I am {a}
    from now on I am {a}
    sorry, my name is {a}
    no, my name is {a}
    yes, I am {a}
    my nickname is {a}
    may I introduce myself, I am {a}
    let me introduce myself, my name is {a}
    I was named {a}
    in school they called me {a}
""")

_RECALL_NAME = lines("""
    do you recall my name
    what is my name again
    what's my name
    tell me who I am
    please say my name
    could you tell me what I am called
    how am I called
    what name do I have
    what was the name I gave you
    I told you my name, do you know it
    do you know what I am called
    have you forgotten my name
    did you forget who I am
    what did I call myself
    how did I introduce myself
    who is your user
    with whom are you talking
    who are you talking to
    tell me again what my name is
    can you remember what my name is
    could you say my name
    can you say who I am
    do you have my name
    did you get my name
""")

_OWN_NAME = lines("""
    could you tell me your name
    can I have your name
    may I know your name
    what was your name
    what's your name again
    tell me what you are called
    how are you called
    is there a name for you
    have they given you a name
    what name did they give you
    do you know what you are called
    under what name do you work
    what can I call you
    say what your name is
    give me your name
    I want to know your name
    I do not know your name
    your name is what
    what do I call you
    what do your friends call you
    are you called something
    with what name should I call you
""")

_WHO = lines("""
    so who are you
    and who is this
    and what are you
    who am I speaking with
    who am I talking with
    who do I speak to
    who is on the line
    who answers me here
    who is there
    could you say who you are
    may I ask who you are
    may I ask who is speaking
    tell me who I am talking to
    please introduce yourself
    could you introduce yourself
    would you say who you are
    who might that be
    explain who you are
    I do not know you, who are you
    I want to know who you are
    who is talking to me
    whose voice is this
""")

_JOB = lines("""
    what is your profession
    what do you work as
    what do you do at work
    what do you do here
    what is your task
    what is your place of work
    where exactly do you work
    where do you go to work
    where do you have your job
    in which place do you work
    in which shop do you work
    could you tell me where you work
    say where you work
    how do you earn your money
    how do you earn a living
    what do you do every day
    what job have you got
    do you work somewhere
    tell me about your job
    who do you help
    where do you help people
    what sort of work do you do
    where are you at work
    which house do you work in
    where do I find you
""")

_PRICE = lines("""
    could you tell me the price for {a}
    how much will {a} be
    how much would {a} be
    what will {a} cost
    what would I pay for {a}
    what must I pay for {a}
    what is your price for {a}
    what price do you ask for {a}
    at what price do you sell {a}
    for how much do you sell {a}
    for {a}, what do you charge
    how much money do you want for {a}
    how much do you want for {a}
    how much do you charge for {a}
    how many dollars do I pay for {a}
    how many dollars for {a}
    I want {a}, what does it cost
    I need {a}, how much is it
    I am looking for {a}, how much is that
    give me the price of {a}
    say what {a} costs
    say how much {a} is
    do you know what {a} costs
    what about {a}, how much is it
    and how much is {a}
    if I take {a}, how much is that
    when I buy {a}, what do I pay
    is {a} cheap, how much is it
    you sell {a}, how much is it
    what do people pay for {a}
    my mother wants {a}, what does it cost
    let me know the price of {a}
    do I have enough for {a}, what does it cost
""")

_OPENING = lines("""
    when can I come
    when can people come in
    when can we come in
    when may I come in
    when could I come in tomorrow
    when can I come by
    when can I come by in the morning
    when can I come to you in the morning
    when could I visit you in the morning
    when may people visit in the morning
    when can I be there in the morning
    when can we visit
    when can I walk in
    when can I go in
    in the morning, when can I come
    tomorrow morning, when can I come
    when do you let people in
    when will you open
    when will you be open
    when do you open tomorrow
    when do you open in the morning
    what time are you open from
    what hour do you open
    which hour do you open
    when does your shop open
    when does the house open
    when is the door open
    when do you open the door
    at what time is the door open
    at what time can I be there
    at what time may I come
    from what hour are you open
    since when are you open in the morning
    how early can I be there
    how early may I visit you
    how early can people come
    say when you open
    say at what time you open
    could you tell me when you open
    I want to know when you open
    can I come at seven, or when do you open
    what are your opening hours, when do you start
    when do you begin
    when do you begin in the morning
    when does work start for you
    what is your first hour
""")

_CLOSING = lines("""
    at what time do you shut
    what time do you shut
    tell me when you shut
    do you know when you shut
    and when will you shut
    when will it shut
    when does it shut
    when does the shop shut
    when do the doors shut
    when do they shut
    when are you shut
    when will you close
    when do you close today
    when do you close in the evening
    when does the shop close
    when does the house close
    when do you lock the door
    when do you lock up
    when do you end
    when do you stop working
    when do you go home
    when is your day over
    when is it too late to come
    when do I have to go
    when do people have to leave
    in the evening, when do you close
    how late do you close
    how late are you there
    how late may I come
    how late can people come
    how long can we stay
    how long do you stay open
    how long will you be open
    till when are you open
    till what time can I come
    until when can I come
    until when can I stay
    up to what time are you open
    what hour do you close
    at what time is it over
    at what time must I leave
    say when you close
    say at what time you close
    could you tell me when you close
    I want to know when you close
    what is your last hour
    what is the last hour
""")

_ECHO = lines("""
    say just {a}
    just say {a}
    only say {a}
    say now {a}
    so say {a}
    first say {a}
    then say {a}
    please say after me, {a}
    say after me, {a}
    say the words {a}
    please say the word {a}
    could you say the word {a}
    can you repeat the word {a}
    can you pronounce {a}
    pronounce {a}
    how do you say {a}
    let me hear {a}
    let me hear the word {a}
    let us hear the word {a}
    I want to hear the word {a}
    I want you to repeat {a}
    I would like you to say {a}
    I will say {a}, and you repeat it
    I said {a}
    I said {a}, what did you hear
    I just said {a}, say it too
    you heard {a}, say it
    did you hear {a}, repeat it
    did you hear me say {a}
    the word was {a}, repeat it
    the word I want is {a}, say it
    the words are {a}, repeat them
    the words are {a}
    this word is {a}, say it after me
    this time it is {a}, say it
    a new word is {a}, say it again
    my next word is {a}
    my words are {a}, repeat them
    your word is {a}
    your word is {a}, say it loud
    here is another one, {a}
    here come the words, {a}
    here are some words, {a}
    next one, {a}
    next, {a}
    {a}, say it
    {a}, say this
    {a}, say that word
    {a}, repeat it
    {a}, repeat this word
    {a}, repeat after me
    {a}, what was that
    {a}, what word was that
    {a}, what did you hear
    {a}, tell me what I said
    {a} is the word, say it
    {a} is what I said, repeat it
    {a} is what you should say
    the thing to say is {a}
    what I want to hear is {a}
    read this back to me, {a}
    read back {a}
    tell me the word {a}
    give me back {a}
    give me the word {a}
    listen, {a}
    listen, the word {a}
    attention, {a}
    once more, {a}
    again, {a}
    and again, {a}
    copy me, {a}
    copy this, {a}
    echo {a}
    echo this, {a}
    speak the word {a}
    try the word {a}
    try this, {a}
    how about {a}, say it
    and say {a} too
    would you please say {a}
    will you say {a}
    will you repeat {a}
    if I say {a}, you say it too
    what is it when I say {a}
    a hard one, {a}
    an easy one, {a}
""")

_WHICH_IS_BIGGER = lines("""
    {a} or {b}, what is bigger
    {a} or {b}, which is larger
    {a} or {b}, which is more
    {a} and {b}, which is bigger
    {a} and {b}, which one is more
    {a} or {b}, say which is bigger
    of {a} and {b}, what is more
    from {a} and {b}, which is the bigger one
    tell me the bigger one, {a} or {b}
    tell me what is bigger, {a} or {b}
    tell me if {a} or {b} is bigger
    say which is bigger, {a} or {b}
    say which is more, {a} or {b}
    can you say which is bigger, {a} or {b}
    could you tell me which is bigger, {a} or {b}
    which is the bigger number, {a} or {b}
    which is the larger number, {a} or {b}
    which of the two is bigger, {a} or {b}
    which of these is larger, {a} or {b}
    which number is larger, {a} or {b}
    which number is more, {a} or {b}
    what is bigger, {a} or {b}
    what is larger, {a} or {b}
    what is the larger one, {a} or {b}
    what do you think is bigger, {a} or {b}
    is {a} more or {b}
    is it {a} or {b} that is bigger
    is the bigger one {a} or {b}
    take {a} and {b}, which is bigger
    look at {a} and {b}, which is bigger
    if I have {a} and you have {b}, which is bigger
    give me the bigger of {a} and {b}
    the bigger of {a} and {b}
    choose the bigger one, {a} or {b}
""")

_IS_IT_BIGGER = lines("""
    is it right that {a} is {w} than {b}
    is it correct that {a} is {w} than {b}
    is it so that {a} is {w} than {b}
    is it a fact that {a} is {w} than {b}
    is that true, {a} is {w} than {b}
    it is true that {a} is {w} than {b}, isn't it
    true or false, {a} is {w} than {b}
    yes or no, is {a} {w} than {b}
    yes or no, {a} is {w} than {b}
    can you say if {a} is {w} than {b}
    can you tell me if {a} is {w} than {b}
    could you say if {a} is {w} than {b}
    do you agree that {a} is {w} than {b}
    do you believe that {a} is {w} than {b}
    do you believe {a} is {w} than {b}
    do you say that {a} is {w} than {b}
    would it be right that {a} is {w} than {b}
    would you agree that {a} is {w} than {b}
    are you sure that {a} is {w} than {b}
    are we right that {a} is {w} than {b}
    is he right that {a} is {w} than {b}
    am I wrong that {a} is {w} than {b}
    I believe {a} is {w} than {b}, is it so
    I say {a} is {w} than {b}, is that true
    I read that {a} is {w} than {b}, is that right
    I want to know if {a} is {w} than {b}
    I wonder if {a} is {w} than {b}
    my brother says {a} is {w} than {b}, is he right
    my teacher said {a} is {w} than {b}, is that so
    we think that {a} is {w} than {b}
    people say that {a} is {w} than {b}, do they
    so {a} is {w} than {b}
    {a} is {w} than {b}, isn't it
    {a} is {w} than {b}, true or false
    {a} is {w} than {b}, is that right
    {a} is {w} than {b}, am I right
    {a}, would that be {w} than {b}
    and {a}, is that {w} than {b}
    and is {a} {w} than {b}
    is {a} a {w} number than {b}
    is {a} really {w} than {b}
    is {a} any {w} than {b}
    isn't {a} {w} than {b}
    what do you say, is {a} {w} than {b}
    check if {a} is {w} than {b}
    say yes if {a} is {w} than {b}
""")

# Training's own additions to each list of phrasings, by that list.
MORE: dict[tuple[str, ...], tuple[str, ...]] = {
    phrasings.GOODBYE: _GOODBYE,
    phrasings.INTRODUCE: _INTRODUCE,
    phrasings.RECALL_NAME: _RECALL_NAME,
    phrasings.OWN_NAME: _OWN_NAME,
    phrasings.WHO: _WHO,
    phrasings.JOB: _JOB,
    phrasings.PRICE: _PRICE,
    phrasings.OPENING: _OPENING,
    phrasings.CLOSING: _CLOSING,
    phrasings.ECHO: _ECHO,
    phrasings.WHICH_IS_BIGGER: _WHICH_IS_BIGGER,
    phrasings.IS_IT_BIGGER: _IS_IT_BIGGER,
}

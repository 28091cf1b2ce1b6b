"""The words and small facts that the bundled model can talk about. Data only: `training/grammar.py` makes sentences of it."""

from __future__ import annotations

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def number_word(value: int) -> str:
    """English words of a whole number from 0 to 100, without hyphens ("twenty one")."""
    if not 0 <= value <= 100:
        raise ValueError(f"{value} is outside 0 to 100.")
    if value < 20:
        return ONES[value]
    if value == 100:
        return "one hundred"
    tens, ones = divmod(value, 10)
    return TENS[tens - 2] + (f" {ONES[ones]}" if ones else "")


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
LETTERS = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z".split()

OPPOSITES = {
    "hot": "cold",
    "big": "small",
    "tall": "short",
    "fast": "slow",
    "happy": "sad",
    "old": "young",
    "up": "down",
    "left": "right",
    "open": "closed",
    "light": "dark",
    "hard": "soft",
    "full": "empty",
    "wet": "dry",
    "rich": "poor",
    "strong": "weak",
    "early": "late",
    "high": "low",
    "good": "bad",
    "clean": "dirty",
    "near": "far",
    "thick": "thin",
    "loud": "quiet",
    "sweet": "sour",
    "first": "last",
    "above": "below",
    "inside": "outside",
    "long": "brief",
    "easy": "difficult",
    "heavy": "weightless",
    "day": "night",
    "summer": "winter",
    "yes": "no",
}

COLORS = {
    "the sky": "blue",
    "grass": "green",
    "snow": "white",
    "a banana": "yellow",
    "coal": "black",
    "a tomato": "red",
    "a carrot": "orange",
    "chocolate": "brown",
    "a lemon": "yellow",
    "the sea": "blue",
    "a frog": "green",
    "an elephant": "gray",
    "a flamingo": "pink",
    "milk": "white",
    "a cherry": "red",
    "the sun": "yellow",
    "a cucumber": "green",
    "a pumpkin": "orange",
    "a raven": "black",
    "a violet": "purple",
}

CAPITALS = {
    "France": "Paris",
    "Italy": "Rome",
    "Spain": "Madrid",
    "Germany": "Berlin",
    "England": "London",
    "Ireland": "Dublin",
    "Japan": "Tokyo",
    "China": "Beijing",
    "Russia": "Moscow",
    "Egypt": "Cairo",
    "Greece": "Athens",
    "Portugal": "Lisbon",
    "Austria": "Vienna",
    "Norway": "Oslo",
    "Sweden": "Stockholm",
    "Poland": "Warsaw",
    "Cuba": "Havana",
    "Peru": "Lima",
    "Kenya": "Nairobi",
    "Canada": "Ottawa",
}

LEGS = {
    "a dog": 4,
    "a cat": 4,
    "a spider": 8,
    "an ant": 6,
    "a bird": 2,
    "a horse": 4,
    "a bee": 6,
    "a snake": 0,
    "a chicken": 2,
    "a cow": 4,
    "a fish": 0,
    "a frog": 4,
    "a person": 2,
    "an elephant": 4,
}
FOOD = {
    "a cow": "grass",
    "a cat": "fish",
    "a rabbit": "carrots",
    "a monkey": "bananas",
    "a panda": "bamboo",
    "a bear": "honey",
    "a dog": "meat",
    "a horse": "hay",
    "a mouse": "cheese",
    "a squirrel": "nuts",
}
HOMES = {
    "a fish": "in the water",
    "a bird": "in a nest",
    "a bee": "in a hive",
    "a bear": "in a cave",
    "a spider": "in a web",
    "a penguin": "in the cold south",
    "a camel": "in the desert",
    "a monkey": "in the trees",
}

ECHO_WORDS = (
    "apple table window river mountain elephant guitar pencil orange yellow doctor kitchen summer winter garden bottle "
    "button camera candle carpet castle chicken circle coffee cookie cotton dinner dragon engine family farmer feather "
    "finger flower forest friend ginger hammer helmet holiday honey hotel island jacket jungle kettle ladder lemon "
    "letter library lizard market mirror money monkey morning mother music needle number ocean office onion orchard "
    "paper parrot pepper piano picnic pillow pirate planet pocket potato prince purple puzzle rabbit radio rainbow "
    "ribbon robot rocket saddle salad sandwich school scissors shadow silver sister soldier spider spoon station "
    "stone story street sugar sunday teacher temple theater thunder ticket tiger tomato tower tractor train treasure "
    "tunnel turtle umbrella uncle valley village violin water weather whistle wizard yogurt zebra balloon basket "
    "blanket bridge butter cabin desert diamond donkey falcon fountain giraffe hammock harbor insect jewel lantern "
    "magnet meadow nickel otter palace pebble pumpkin quilt raven sailor tulip velvet walnut"
).split()

USER_NAMES = (
    "Anna Ben Clara David Emma Frank Grace Henry Ivy Jack Kate Leo Mary Nick Olive Paul Ruth Sam Tom Vera Will "
    "Alice Bob Cathy Dan Ella Fred Gina Harry Iris James Karen Linda Mark Nora Oscar Peter Rachel Simon Tina "
    "Victor Wendy Adam Betty Carl Diana Edward Fiona George Helen Jane Kevin Laura Martin Nancy Oliver Patrick Rose "
    "Susan Thomas Arthur Barbara Charles Daisy Eric Florence Gary Holly Jason Judy Larry Lucy Michael Molly Philip "
    "Robert Sarah Stephen Theresa Walter Zoe "
    # Added later and therefore at the end: which names are kept for tests goes by their place.
    "Aaron Alan Albert Alfred Amber Amy Andrew April Archie Austin Becky Bella Bernard Beth Blake Brad Brandon Brenda "
    "Carol Caroline Chris Cindy Clark Claude Crystal Dawn Dean Dennis Dexter Donna Doris Earl Edgar Ellen Erica Ernest "
    "Eva Felix Flora Gilbert Glen Gloria Gregory Gwen Hannah Harold Hazel Heather Hector Hugo Ian Irene Isaac Jacob "
    "Jasmine Jeff Jennifer Jessica Jill Joe Joel Joseph Joshua Joyce Julia Justin Kelly Kurt Lance Lawrence Lewis Lily "
    "Logan Louis Lydia Madison Maria Marion Max Melissa Mike Miles Miranda Mitchell Monica Morgan Nathan Noah Norman "
    "Pauline Pearl Penny Phoebe Polly Ralph Randy Richard Roger Roy Ruby Sally Samantha Sandra Scott Sophie Stanley "
    "Stella Steve Stuart Teddy Terry Tim Tracy Tyler Vernon Vincent Violet Virginia Warren Wayne"
).split()
PERSONA_NAMES = (
    "Lena Max Ruby Hugo Stella Felix Nina Oscar Julia Simon Maya Victor Alice Bruno Clara Daniel Eva Frank Gloria Henry "
    "Irene Jasper Karen Lucas Martha Nathan Olivia Peter Rosa Samuel Tessa Vincent Wanda Albert Bella Conrad Dora Edwin "
    "Flora Gilbert Hannah Ian Joyce Kurt Laura Mason "
    # Added later, as above.
    "Basil Cora Dennis Hector Mabel Opal Vernon Winona Abel Della Ezra Gideon Judith Kelvin Miles Nell Otto "
    "Ramona Vance Amos Bernice Clyde Grant Kent Noel Pearl Roland Tobias Archie Beryl Claude Enid Gwen Homer Ida "
    "Mavis Preston Selma Ted Viola Warren"
).split()

# Where a persona works, and what it can sell there.
PLACES = {
    "a bakery": ("bread", "cake", "coffee", "a cookie", "a pie"),
    "a bookshop": ("a book", "a map", "a pencil", "a card", "a magazine"),
    "a flower shop": ("a rose", "a tulip", "a plant", "a basket", "a ribbon"),
    "a hotel": ("a room", "breakfast", "parking", "dinner", "a towel"),
    "a museum": ("a ticket", "a guide", "a poster", "a map", "a tour"),
    "a garage": ("a tire", "an oil change", "a battery", "a car wash", "a mirror"),
    "a library": ("a library card", "a copy", "a bag", "a poster", "a pencil"),
    "a zoo": ("a ticket", "popcorn", "a toy", "a balloon", "a tour"),
    "a school": ("lunch", "a notebook", "a pencil", "a uniform", "a book"),
    "a toy shop": ("a doll", "a puzzle", "a ball", "a train", "a kite"),
    "a restaurant": ("soup", "a pizza", "a salad", "tea", "a steak"),
    "a cinema": ("a ticket", "popcorn", "a drink", "ice cream", "a poster"),
}

STORIES = {
    "a dog": "There was a small brown dog. He lost his ball in the garden. He looked under the table and behind the "
    "door. In the end the ball was in his own bed.",
    "a cat": "A gray cat lived in a tall house. Every night she climbed to the roof to look at the moon. One night the "
    "moon was gone. She waited, and in the morning the sun came to say hello.",
    "the sea": "A young sailor wanted to see the whole sea. He sailed for seven days and seven nights. Then he saw a "
    "green island with one tree. Under the tree sat an old man, who said, you are late for tea.",
    "a king": "There was a king who never smiled. A farmer brought him a goose that wore a hat. The king looked at the "
    "goose, and the goose looked at the king. Then the king laughed until the evening.",
    "a robot": "A little robot wanted to learn to cook. First it made soup with a shoe. Then it made a cake with stones. "
    "At last it made bread, and all its friends came to dinner.",
    "a bear": "A big bear found a jar of honey in the forest. He could not open it. A tiny ant showed him how to turn "
    "the lid. Now they have honey together every Sunday.",
}
JOKES = (
    "Why did the chicken cross the road? To get to the other side.",
    "What do you call a bear with no teeth? A gummy bear.",
    "Why is six afraid of seven? Because seven ate nine.",
    "What is orange and sounds like a parrot? A carrot.",
    "Why did the book go to the doctor? It hurt its spine.",
)

# Sentences outside the domain: the right answer is to say so. Slots take nouns and verbs from the echo words.
OUT_OF_DOMAIN = (
    "what is the meaning of life",
    "how do I fix my computer",
    "who won the game last night",
    "can you order me a taxi",
    "what is the weather like today",
    "how far away is the moon",
    "write me a letter to my boss",
    "what time is it now",
    "please turn on the lamp in the hall",
    "why do people dream at night",
    "how do airplanes fly",
    "what should I cook for my parents",
    "my neighbor painted his fence again",
    "the meeting was moved to another building",
    "she forgot where she put the keys",
    "who invented the telephone",
    "play some jazz in the bedroom",
    "the train from the north was full of students",
    "do you think it will snow in the mountains",
    "I left my jacket on the bus",
    "they are building a road behind our house",
    "translate this sentence into latin",
    "what do you think about politics",
    "how much does an airplane weigh",
    "can you book me a table for tonight",
    "why is my phone so slow",
    "who wrote this song",
    "how do I get to the station",
    "what did the president say yesterday",
    "send a message to my sister",
    "when does the next bus leave",
    "how long does it take to boil an egg",
    "what is the best movie of the year",
    "is it going to rain this weekend",
    "read me the news",
    "how deep is the ocean",
    "can you help me with my homework",
    "set an alarm for the morning",
    "who is the richest man in the world",
    "what is love",
    "how do I learn to swim",
    "my brother has bought a new boat",
    "the children are playing in the garden",
    "he said he would be late again",
    "we should paint the kitchen this summer",
    "the doctor told her to stay in bed",
    "nobody knows where the cat has gone",
    "you never listen to me when I talk",
    "they sold the old farm last winter",
    "she plays the piano every evening",
    "the soup was too salty for me",
    "I think we took the wrong road",
    "what would you do with a million dollars",
    "how many people live on earth",
    "tell me the score of the match",
    "where did I park my car",
    "can you sing in french",
    "what is wrong with my knee",
    "how do magnets work",
    "who painted the ceiling of that church",
    "which team do you like",
    "does your dog bite",
)
BACKGROUND = (
    "the {a} near the {b} was very nice",
    "we bought a {a} and a {b} for the trip",
    "my {a} is not as good as your {b}",
    "someone took the {a} from the {b}",
    "he told us about the {a} in the {b}",
    "there is no {a} without a {b}",
    "I saw your {a} next to my {b}",
    "the {a} fell on the {b} and broke",
    "she wants a {a} instead of a {b}",
    "give the {a} to him and keep the {b}",
    "where the {a} was there is a {b} now",
    "in the end the {a} cost more than the {b}",
    "first came the {a} and then the {b}",
    "did you put the {a} behind the {b}",
)

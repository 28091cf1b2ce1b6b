<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
  <context>
    <name>Parley</name>
    <message>
      <source> Precision {reason}</source>
      <translation> Genauigkeit {reason}</translation>
    </message>
    <message>
      <source>&amp;Add a file…</source>
      <translation>&amp;Datei hinzufügen…</translation>
    </message>
    <message>
      <source>&amp;As the system</source>
      <translation>&amp;Wie das System</translation>
    </message>
    <message>
      <source>&amp;Back</source>
      <translation>&amp;Zurück</translation>
    </message>
    <message>
      <source>&amp;Back to {mode}</source>
      <translation>&amp;Zurück zu {mode}</translation>
    </message>
    <message>
      <source>&amp;Cancel</source>
      <translation>&amp;Abbrechen</translation>
    </message>
    <message>
      <source>&amp;Choose…</source>
      <translation>&amp;Wählen…</translation>
    </message>
    <message>
      <source>&amp;Compiled</source>
      <translation>&amp;Kompiliert</translation>
    </message>
    <message>
      <source>&amp;Compiled code</source>
      <translation>&amp;Übersetzter Code</translation>
    </message>
    <message>
      <source>&amp;Dark</source>
      <translation>&amp;Dunkel</translation>
    </message>
    <message>
      <source>&amp;Delete</source>
      <translation>&amp;Löschen</translation>
    </message>
    <message>
      <source>&amp;Delete…</source>
      <translation>&amp;Löschen…</translation>
    </message>
    <message>
      <source>&amp;Discard</source>
      <translation>&amp;Verwerfen</translation>
    </message>
    <message>
      <source>&amp;Done</source>
      <translation>&amp;Fertig</translation>
    </message>
    <message>
      <source>&amp;Download</source>
      <translation>&amp;Herunterladen</translation>
    </message>
    <message>
      <source>&amp;Eager</source>
      <translation>&amp;Eager</translation>
    </message>
    <message>
      <source>&amp;Engine</source>
      <translation>&amp;Engine</translation>
    </message>
    <message>
      <source>&amp;Export frames…</source>
      <translation>Frames e&amp;xportieren…</translation>
    </message>
    <message>
      <source>&amp;Folder</source>
      <translation>&amp;Ordner</translation>
    </message>
    <message>
      <source>&amp;Folder…</source>
      <translation>&amp;Ordner…</translation>
    </message>
    <message>
      <source>&amp;Graph</source>
      <translation>&amp;Graph</translation>
    </message>
    <message>
      <source>&amp;High contrast</source>
      <translation>Hoher &amp;Kontrast</translation>
    </message>
    <message>
      <source>&amp;Interrupt the sound and look</source>
      <translation>Ton &amp;unterbrechen und suchen</translation>
    </message>
    <message>
      <source>&amp;Keep as a voice…</source>
      <translation>Als Stimme &amp;behalten…</translation>
    </message>
    <message>
      <source>&amp;Keep it</source>
      <translation>&amp;Behalten</translation>
    </message>
    <message>
      <source>&amp;Keep the model</source>
      <translation>Modell &amp;behalten</translation>
    </message>
    <message>
      <source>&amp;Latency details</source>
      <translation>&amp;Latenz im Einzelnen</translation>
    </message>
    <message>
      <source>&amp;Light</source>
      <translation>&amp;Hell</translation>
    </message>
    <message>
      <source>&amp;Listen</source>
      <translation>&amp;Anhören</translation>
    </message>
    <message>
      <source>&amp;Load model</source>
      <translation>Modell &amp;laden</translation>
    </message>
    <message>
      <source>&amp;Load now</source>
      <translation>Jetzt &amp;laden</translation>
    </message>
    <message>
      <source>&amp;Look for devices again</source>
      <translation>&amp;Geräte neu suchen</translation>
    </message>
    <message>
      <source>&amp;Microphone</source>
      <translation>&amp;Mikrofon</translation>
    </message>
    <message>
      <source>&amp;Model</source>
      <translation>&amp;Modell</translation>
    </message>
    <message>
      <source>&amp;More about models…</source>
      <translation>&amp;Mehr zu den Modellen…</translation>
    </message>
    <message>
      <source>&amp;Mute</source>
      <translation>&amp;Stumm schalten</translation>
    </message>
    <message>
      <source>&amp;Muted</source>
      <translation>&amp;Stumm</translation>
    </message>
    <message>
      <source>&amp;New talk</source>
      <translation>&amp;Neues Gespräch</translation>
    </message>
    <message>
      <source>&amp;Next</source>
      <translation>&amp;Weiter</translation>
    </message>
    <message>
      <source>&amp;Open the folder</source>
      <translation>Ordner &amp;öffnen</translation>
    </message>
    <message>
      <source>&amp;Play the test sound</source>
      <translation>&amp;Testton abspielen</translation>
    </message>
    <message>
      <source>&amp;Precision</source>
      <translation>&amp;Genauigkeit</translation>
    </message>
    <message>
      <source>&amp;Push to talk</source>
      <translation>Sprech&amp;taste</translation>
    </message>
    <message>
      <source>&amp;Quit</source>
      <translation>&amp;Beenden</translation>
    </message>
    <message>
      <source>&amp;Record</source>
      <translation>&amp;Aufnehmen</translation>
    </message>
    <message>
      <source>&amp;Record talk</source>
      <translation>Gespräch &amp;aufnehmen</translation>
    </message>
    <message>
      <source>&amp;Reduce motion</source>
      <translation>Bewegung &amp;verringern</translation>
    </message>
    <message>
      <source>&amp;Remove it</source>
      <translation>Ent&amp;fernen</translation>
    </message>
    <message>
      <source>&amp;Runs on</source>
      <translation>&amp;Läuft auf</translation>
    </message>
    <message>
      <source>&amp;Save</source>
      <translation>&amp;Speichern</translation>
    </message>
    <message>
      <source>&amp;Save transcript…</source>
      <translation>Mitschrift s&amp;peichern…</translation>
    </message>
    <message>
      <source>&amp;Saved</source>
      <translation>&amp;Gespeichert</translation>
    </message>
    <message>
      <source>&amp;Save…</source>
      <translation>&amp;Speichern…</translation>
    </message>
    <message>
      <source>&amp;Seed</source>
      <translation>&amp;Startwert</translation>
    </message>
    <message>
      <source>&amp;Settings…</source>
      <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
      <source>&amp;Stop</source>
      <translation>&amp;Anhalten</translation>
    </message>
    <message>
      <source>&amp;Talk</source>
      <translation>&amp;Gespräch</translation>
    </message>
    <message>
      <source>&amp;Try eager for 5 s</source>
      <translation>Eager 5 s lang &amp;ausprobieren</translation>
    </message>
    <message>
      <source>&amp;Voice</source>
      <translation>&amp;Stimme</translation>
    </message>
    <message>
      <source>&amp;Wait for me to speak first</source>
      <translation>&amp;Warten, bis ich zuerst spreche</translation>
    </message>
    <message>
      <source>, about {time} left</source>
      <translation>, noch etwa {time}</translation>
    </message>
    <message>
      <source>, because talks ramble or fall apart beyond; Full range allows it.</source>
      <translation>, weil Gespräche darüber hinaus ausufern oder zerfallen; „Voller Bereich“ erlaubt es.</translation>
    </message>
    <message>
      <source>8 bits: half the memory or less</source>
      <translation>8 Bit: halber Speicher oder weniger</translation>
    </message>
    <message>
      <source>A folder of yours</source>
      <translation>Ein Ordner von Ihnen</translation>
    </message>
    <message>
      <source>A good level.</source>
      <translation>Ein guter Pegel.</translation>
    </message>
    <message>
      <source>A mode is being built.</source>
      <translation>Ein Modus wird gebaut.</translation>
    </message>
    <message>
      <source>A model is downloaded once, when it is first chosen; then nothing is fetched.</source>
      <translation>Ein Modell wird einmal heruntergeladen, wenn es zum ersten Mal gewählt wird; danach wird nichts mehr geholt.</translation>
    </message>
    <message>
      <source>A new one for each &amp;talk</source>
      <translation>Für jedes Gespräch ein &amp;neuer</translation>
    </message>
    <message>
      <source>A talk is running; end it to listen.</source>
      <translation>Ein Gespräch läuft; zum Anhören muss es beendet werden.</translation>
    </message>
    <message>
      <source>A talk is running; end it to play the test sound.</source>
      <translation>Ein Gespräch läuft; für den Testton muss es beendet werden.</translation>
    </message>
    <message>
      <source>A talk is running; end it to record.</source>
      <translation>Ein Gespräch läuft; zum Aufnehmen muss es beendet werden.</translation>
    </message>
    <message>
      <source>A talk must be running.</source>
      <translation>Dazu muss ein Gespräch laufen.</translation>
    </message>
    <message>
      <source>A token is given by the variable HF_TOKEN, and that one is used.</source>
      <translation>Ein Token steht in der Variable HF_TOKEN; dieses wird benutzt.</translation>
    </message>
    <message>
      <source>A token is kept in {file}.</source>
      <translation>Ein Token liegt in {file}.</translation>
    </message>
    <message>
      <source>Access token of Hugging Face</source>
      <translation>Zugangstoken von Hugging Face</translation>
    </message>
    <message>
      <source>Add</source>
      <translation>Hinzufügen</translation>
    </message>
    <message>
      <source>Added {name}.</source>
      <translation>{name} wurde hinzugefügt.</translation>
    </message>
    <message>
      <source>Against the size that the system asks for.</source>
      <translation>Gemessen an der Größe, die das System vorgibt.</translation>
    </message>
    <message>
      <source>Always</source>
      <translation>Immer</translation>
    </message>
    <message>
      <source>Answers without numbers</source>
      <translation>Antworten ohne Zahlen</translation>
    </message>
    <message>
      <source>Appearance</source>
      <translation>Aussehen</translation>
    </message>
    <message>
      <source>As the system</source>
      <translation>Wie das System</translation>
    </message>
    <message>
      <source>Asking Hugging Face about the token</source>
      <translation>Das Token wird bei Hugging Face geprüft</translation>
    </message>
    <message>
      <source>Audio</source>
      <translation>Ton</translation>
    </message>
    <message>
      <source>Audio, voice, engine, recording and appearance</source>
      <translation>Ton, Stimme, Engine, Aufnahme und Aussehen</translation>
    </message>
    <message>
      <source>Automatic</source>
      <translation>Automatisch</translation>
    </message>
    <message>
      <source>Both sides in one stereo file: you on the left, the model on the right, as the model hears and says it. Nothing is recorded unless you ask for it, and only you may open the files.</source>
      <translation>Beide Seiten in einer Stereodatei: links Sie, rechts das Modell, so wie das Modell es hört und sagt. Nichts wird aufgenommen, wenn Sie es nicht verlangen, und nur Sie dürfen die Dateien öffnen.</translation>
    </message>
    <message>
      <source>Bring my voice to the usual le&amp;vel by itself</source>
      <translation>Meine Stimme von selbst auf den üblichen &amp;Pegel bringen</translation>
    </message>
    <message>
      <source>Building a mode</source>
      <translation>Ein Modus wird gebaut</translation>
    </message>
    <message>
      <source>Building the mode</source>
      <translation>Der Modus wird gebaut</translation>
    </message>
    <message>
      <source>Building the {mode} mode</source>
      <translation>Der Modus {mode} wird gebaut</translation>
    </message>
    <message>
      <source>C&amp;ancel loading</source>
      <translation>Laden abb&amp;rechen</translation>
    </message>
    <message>
      <source>Can the model hear you?</source>
      <translation>Hört das Modell Sie?</translation>
    </message>
    <message>
      <source>Can you hear the model?</source>
      <translation>Hören Sie das Modell?</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <source>Check</source>
      <translation>Prüfen</translation>
    </message>
    <message>
      <source>Check microphone and loudspeaker, and choose a model</source>
      <translation>Mikrofon und Lautsprecher prüfen und ein Modell wählen</translation>
    </message>
    <message>
      <source>Checking {model}</source>
      <translation>{model} wird geprüft</translation>
    </message>
    <message>
      <source>Choose a folder for recordings</source>
      <translation>Ordner für Aufnahmen wählen</translation>
    </message>
    <message>
      <source>Choose a model folder</source>
      <translation>Modellordner wählen</translation>
    </message>
    <message>
      <source>Choose a recording of a voice</source>
      <translation>Aufnahme einer Stimme wählen</translation>
    </message>
    <message>
      <source>Choose a saved one</source>
      <translation>Eine gespeicherte wählen</translation>
    </message>
    <message>
      <source>Choose device</source>
      <translation>Gerät wählen</translation>
    </message>
    <message>
      <source>Choose your microphone, say a sentence, and listen to it.</source>
      <translation>Wählen Sie Ihr Mikrofon, sagen Sie einen Satz, und hören Sie ihn an.</translation>
    </message>
    <message>
      <source>Clipping: lower the input gain in the system's sound settings.</source>
      <translation>Übersteuert: Verringern Sie die Eingangsverstärkung in den Toneinstellungen des Systems.</translation>
    </message>
    <message>
      <source>Closed</source>
      <translation>Geschlossen</translation>
    </message>
    <message>
      <source>Collecting diagnostics</source>
      <translation>Diagnose wird gesammelt</translation>
    </message>
    <message>
      <source>Colours</source>
      <translation>Farben</translation>
    </message>
    <message>
      <source>Comes with Parley</source>
      <translation>Gehört zu Parley</translation>
    </message>
    <message>
      <source>Compare every byte with what was published, and every tensor with the configuration</source>
      <translation>Jedes Byte mit dem Veröffentlichten vergleichen und jeden Tensor mit der Konfiguration</translation>
    </message>
    <message>
      <source>Converted from models that are not here any more</source>
      <translation>Umgerechnet aus Modellen, die nicht mehr hier sind</translation>
    </message>
    <message>
      <source>Converted to {precision}, {size}</source>
      <translation>Umgerechnet in {precision}, {size}</translation>
    </message>
    <message>
      <source>Copy &amp;diagnostics</source>
      <translation>&amp;Diagnose kopieren</translation>
    </message>
    <message>
      <source>Copy &amp;figures</source>
      <translation>&amp;Zahlen kopieren</translation>
    </message>
    <message>
      <source>Copy &amp;transcript</source>
      <translation>Mitschrift &amp;kopieren</translation>
    </message>
    <message>
      <source>Copy the cost of each mode as text</source>
      <translation>Die Kosten jedes Modus als Text kopieren</translation>
    </message>
    <message>
      <source>Copy the words of this window with their times</source>
      <translation>Die Worte dieses Fensters mit ihren Zeiten kopieren</translation>
    </message>
    <message>
      <source>Copy versions, devices and the last log lines for a bug report</source>
      <translation>Versionen, Geräte und die letzten Protokollzeilen für einen Fehlerbericht kopieren</translation>
    </message>
    <message>
      <source>Current frame</source>
      <translation>Aktueller Frame</translation>
    </message>
    <message>
      <source>Damaged, other than it was published: {names}.</source>
      <translation>Beschädigt, anders als veröffentlicht: {names}.</translation>
    </message>
    <message>
      <source>Dele&amp;te…</source>
      <translation>Lös&amp;chen…</translation>
    </message>
    <message>
      <source>Delete the persona {name}? It cannot be brought back.</source>
      <translation>Die Persona {name} löschen? Sie lässt sich nicht zurückholen.</translation>
    </message>
    <message>
      <source>Delete the voice {voice}? It cannot be brought back.</source>
      <translation>Die Stimme {voice} löschen? Sie lässt sich nicht zurückholen.</translation>
    </message>
    <message>
      <source>Delete {model} ({size})? To be used again it must be downloaded again.</source>
      <translation>{model} ({size}) löschen? Um es wieder zu benutzen, muss es neu heruntergeladen werden.</translation>
    </message>
    <message>
      <source>Delete {model} and what was converted from it ({size})? It must then be downloaded again.</source>
      <translation>{model} und alles daraus Umgerechnete ({size}) löschen? Es muss dann neu heruntergeladen werden.</translation>
    </message>
    <message>
      <source>Delete {what}? It is made anew when it is needed, which takes a while.</source>
      <translation>Löschen: {what}? Bei Bedarf wird es neu gemacht; das dauert eine Weile.</translation>
    </message>
    <message>
      <source>Delete: {what}</source>
      <translation>Löschen: {what}</translation>
    </message>
    <message>
      <source>Deleted {voice}.</source>
      <translation>{voice} wurde gelöscht.</translation>
    </message>
    <message>
      <source>Delete…</source>
      <translation>Löschen…</translation>
    </message>
    <message>
      <source>Devices</source>
      <translation>Geräte</translation>
    </message>
    <message>
      <source>Diagnostics copied; paste them into the report</source>
      <translation>Diagnose kopiert; fügen Sie sie in den Bericht ein</translation>
    </message>
    <message>
      <source>Dismiss this message</source>
      <translation>Diese Meldung schließen</translation>
    </message>
    <message>
      <source>Download a model</source>
      <translation>Ein Modell herunterladen</translation>
    </message>
    <message>
      <source>Downloaded</source>
      <translation>Heruntergeladen</translation>
    </message>
    <message>
      <source>Downloading {model}</source>
      <translation>{model} wird heruntergeladen</translation>
    </message>
    <message>
      <source>Downloads go to {folder}, where {free} are free. What ends early goes on where it stopped; once a model is here, nothing more is fetched.</source>
      <translation>Heruntergeladenes kommt nach {folder}; dort sind {free} frei. Was vorzeitig endet, geht später dort weiter; ist ein Modell einmal hier, wird nichts mehr geholt.</translation>
    </message>
    <message>
      <source>Eager runs for {seconds} s more, then {mode} again</source>
      <translation>Eager läuft noch {seconds} s, dann wieder {mode}</translation>
    </message>
    <message>
      <source>Engine</source>
      <translation>Engine</translation>
    </message>
    <message>
      <source>Engine mode</source>
      <translation>Modus der Engine</translation>
    </message>
    <message>
      <source>Engine settings</source>
      <translation>Engine-Einstellungen</translation>
    </message>
    <message>
      <source>Every tensor fits; there are no published checksums to compare its files with.</source>
      <translation>Jeder Tensor passt; veröffentlichte Prüfsummen zum Vergleich gibt es nicht.</translation>
    </message>
    <message>
      <source>Export the frames</source>
      <translation>Frames exportieren</translation>
    </message>
    <message>
      <source>F&amp;ull range</source>
      <translation>Voller &amp;Bereich</translation>
    </message>
    <message>
      <source>FLAC: the same sound in half the room</source>
      <translation>FLAC: derselbe Klang auf halbem Platz</translation>
    </message>
    <message>
      <source>Fetch only these files from Hugging Face</source>
      <translation>Nur diese Dateien von Hugging Face holen</translation>
    </message>
    <message>
      <source>Fetch the damaged files anew</source>
      <translation>Die beschädigten Dateien neu holen</translation>
    </message>
    <message>
      <source>Fetch what is missing</source>
      <translation>Das Fehlende holen</translation>
    </message>
    <message>
      <source>Figures copied</source>
      <translation>Zahlen kopiert</translation>
    </message>
    <message>
      <source>First frame after a switch</source>
      <translation>Erster Frame nach einem Wechsel</translation>
    </message>
    <message>
      <source>First-run &amp;guide</source>
      <translation>Erste &amp;Schritte</translation>
    </message>
    <message>
      <source>Folder for recordings</source>
      <translation>Ordner für Aufnahmen</translation>
    </message>
    <message>
      <source>Folder: {folder}</source>
      <translation>Ordner: {folder}</translation>
    </message>
    <message>
      <source>For example: You are a patient tutor who answers in short sentences.</source>
      <translation>Zum Beispiel: You are a patient tutor who answers in short sentences.</translation>
    </message>
    <message>
      <source>For&amp;get it…</source>
      <translation>Ver&amp;gessen…</translation>
    </message>
    <message>
      <source>For&amp;mat</source>
      <translation>&amp;Format</translation>
    </message>
    <message>
      <source>Forget this talk and begin another at once</source>
      <translation>Dieses Gespräch vergessen und sofort ein neues beginnen</translation>
    </message>
    <message>
      <source>Frame cost by mode over the last 60 seconds</source>
      <translation>Kosten eines Frames je Modus in den letzten 60 Sekunden</translation>
    </message>
    <message>
      <source>Frame cost over the last 60 seconds</source>
      <translation>Kosten eines Frames in den letzten 60 Sekunden</translation>
    </message>
    <message>
      <source>Frame, last second</source>
      <translation>Frame, letzte s</translation>
    </message>
    <message>
      <source>Gaps heard</source>
      <translation>Lücken</translation>
    </message>
    <message>
      <source>Gaps in the sound</source>
      <translation>Lücken im Ton</translation>
    </message>
    <message>
      <source>Give up building the mode; it can be chosen again at any time</source>
      <translation>Den Bau des Modus aufgeben; er lässt sich jederzeit wieder wählen</translation>
    </message>
    <message>
      <source>Give up loading the model</source>
      <translation>Das Laden des Modells aufgeben</translation>
    </message>
    <message>
      <source>Go o&amp;n in {mode}</source>
      <translation>Im Modus {mode} &amp;weitermachen</translation>
    </message>
    <message>
      <source>Go on</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <source>Headphones are best. On loudspeakers the model may hear itself; the echo is then removed.</source>
      <translation>Am besten sind Kopfhörer. Über Lautsprecher kann das Modell sich selbst hören; das Echo wird dann entfernt.</translation>
    </message>
    <message>
      <source>Headphones are best: on loudspeakers the microphone hears the model too, and its echo has to go.</source>
      <translation>Am besten sind Kopfhörer: Über Lautsprecher hört das Mikrofon auch das Modell, und dessen Echo muss entfernt werden.</translation>
    </message>
    <message>
      <source>Headphones or loudspeakers</source>
      <translation>Kopfhörer oder Lautsprecher</translation>
    </message>
    <message>
      <source>Heard nothing? Turn up the volume, or choose another loudspeaker above, and play it again.</source>
      <translation>Nichts gehört? Stellen Sie lauter, oder wählen Sie oben einen anderen Lautsprecher, und spielen Sie den Ton noch einmal.</translation>
    </message>
    <message>
      <source>Hold to talk ({key})</source>
      <translation>Zum Sprechen halten ({key})</translation>
    </message>
    <message>
      <source>Holds from the next start of Parley on.</source>
      <translation>Gilt ab dem nächsten Start von Parley.</translation>
    </message>
    <message>
      <source>In Hugging Face's own cache</source>
      <translation>Im Cache von Hugging Face</translation>
    </message>
    <message>
      <source>It cannot be used: {reason}</source>
      <translation>Nicht zu gebrauchen: {reason}</translation>
    </message>
    <message>
      <source>It holds words that are in no file; without saving they are lost.</source>
      <translation>Sie enthält Worte, die in keiner Datei stehen; ungespeichert gehen sie verloren.</translation>
    </message>
    <message>
      <source>L&amp;isten</source>
      <translation>An&amp;hören</translation>
    </message>
    <message>
      <source>La&amp;ter</source>
      <translation>&amp;Später</translation>
    </message>
    <message>
      <source>Lan&amp;guage</source>
      <translation>&amp;Sprache</translation>
    </message>
    <message>
      <source>Language</source>
      <translation>Sprache</translation>
    </message>
    <message>
      <source>Last 60 seconds, milliseconds per frame</source>
      <translation>Letzte 60 Sekunden, Millisekunden je Frame</translation>
    </message>
    <message>
      <source>Late frames</source>
      <translation>Verspätet</translation>
    </message>
    <message>
      <source>Latency</source>
      <translation>Latenz</translation>
    </message>
    <message>
      <source>Latency details</source>
      <translation>Latenz im Einzelnen</translation>
    </message>
    <message>
      <source>Launches every step one by one; runs everywhere.</source>
      <translation>Startet jeden Schritt einzeln; läuft überall.</translation>
    </message>
    <message>
      <source>Let the model hear silence</source>
      <translation>Das Modell Stille hören lassen</translation>
    </message>
    <message>
      <source>Listening for an echo.</source>
      <translation>Ein Echo wird gesucht.</translation>
    </message>
    <message>
      <source>Listening. The model's words appear here.</source>
      <translation>Das Modell hört zu. Seine Worte erscheinen hier.</translation>
    </message>
    <message>
      <source>Listening. Try: what is seven plus five? The model's words appear here.</source>
      <translation>Das Modell hört zu. Zum Beispiel: what is seven plus five? Seine Worte erscheinen hier.</translation>
    </message>
    <message>
      <source>Load a model to begin.</source>
      <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
      <source>Load again</source>
      <translation>Neu laden</translation>
    </message>
    <message>
      <source>Loading another model ends the talk that is running.</source>
      <translation>Ein anderes Modell zu laden beendet das laufende Gespräch.</translation>
    </message>
    <message>
      <source>Loading another model or precision ends the talk that is running.</source>
      <translation>Ein anderes Modell oder eine andere Genauigkeit zu laden beendet das laufende Gespräch.</translation>
    </message>
    <message>
      <source>Loading the model</source>
      <translation>Modell wird geladen</translation>
    </message>
    <message>
      <source>Loading {model}</source>
      <translation>{model} wird geladen</translation>
    </message>
    <message>
      <source>Loading {model}: {part}</source>
      <translation>{model} wird geladen: {part}</translation>
    </message>
    <message>
      <source>Long: {words}; a shorter text leaves more for the talk</source>
      <translation>Lang: {words}; ein kürzerer Text lässt mehr für das Gespräch</translation>
    </message>
    <message>
      <source>Looking at the disk</source>
      <translation>Die Platte wird durchgesehen</translation>
    </message>
    <message>
      <source>Looking at this computer</source>
      <translation>Dieser Rechner wird angesehen</translation>
    </message>
    <message>
      <source>Looking for devices</source>
      <translation>Geräte werden gesucht</translation>
    </message>
    <message>
      <source>Loud&amp;speaker</source>
      <translation>&amp;Lautsprecher</translation>
    </message>
    <message>
      <source>Loud, and still clean: a little less input level is safer.</source>
      <translation>Laut, aber noch sauber: Etwas weniger Eingangspegel ist sicherer.</translation>
    </message>
    <message>
      <source>Loud. A little less input gain is safer.</source>
      <translation>Laut. Etwas weniger Eingangsverstärkung ist sicherer.</translation>
    </message>
    <message>
      <source>Loudspeaker</source>
      <translation>Lautsprecher</translation>
    </message>
    <message>
      <source>Loudspeaker level</source>
      <translation>Pegel am Lautsprecher</translation>
    </message>
    <message>
      <source>M&amp;odels…</source>
      <translation>Mo&amp;delle…</translation>
    </message>
    <message>
      <source>Make room on the disk</source>
      <translation>Platz auf der Platte schaffen</translation>
    </message>
    <message>
      <source>Markdown</source>
      <translation>Markdown</translation>
    </message>
    <message>
      <source>Median frame, {mode}</source>
      <translation>Mittlerer Frame, {mode}</translation>
    </message>
    <message>
      <source>Meters, figures and the strip follow once a second, and nothing runs back and forth.</source>
      <translation>Anzeigen, Zahlen und Verlauf folgen einmal in der Sekunde, und nichts läuft hin und her.</translation>
    </message>
    <message>
      <source>Mic to speaker</source>
      <translation>Mikro bis Ton</translation>
    </message>
    <message>
      <source>Microphone</source>
      <translation>Mikrofon</translation>
    </message>
    <message>
      <source>Microphone frames skipped</source>
      <translation>Ausgelassene Mikrofon-Frames</translation>
    </message>
    <message>
      <source>Microphone level</source>
      <translation>Pegel am Mikrofon</translation>
    </message>
    <message>
      <source>Mode</source>
      <translation>Modus</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Model's id on Hugging Face, owner/name</source>
      <translation>Kennung des Modells bei Hugging Face, Eigentümer/Name</translation>
    </message>
    <message>
      <source>Model: mini, a folder, or a Hugging Face id</source>
      <translation>Modell: mini, ein Ordner oder eine Hugging-Face-Kennung</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>Modelle</translation>
    </message>
    <message>
      <source>Models with a licence</source>
      <translation>Modelle mit Lizenz</translation>
    </message>
    <message>
      <source>Motion</source>
      <translation>Bewegung</translation>
    </message>
    <message>
      <source>Muted</source>
      <translation>Stumm</translation>
    </message>
    <message>
      <source>My voice</source>
      <translation>Meine Stimme</translation>
    </message>
    <message>
      <source>NVIDIA graphics card (CUDA)</source>
      <translation>NVIDIA-Grafikkarte (CUDA)</translation>
    </message>
    <message>
      <source>Na&amp;me of the persona</source>
      <translation>Na&amp;me der Persona</translation>
    </message>
    <message>
      <source>Na&amp;me of the voice</source>
      <translation>Na&amp;me der Stimme</translation>
    </message>
    <message>
      <source>Never</source>
      <translation>Nie</translation>
    </message>
    <message>
      <source>New na&amp;me</source>
      <translation>Neuer Na&amp;me</translation>
    </message>
    <message>
      <source>New talk</source>
      <translation>Neues Gespräch</translation>
    </message>
    <message>
      <source>New talk at {time}</source>
      <translation>Neues Gespräch um {time}</translation>
    </message>
    <message>
      <source>No browser could be opened; the page is {page}</source>
      <translation>Es ließ sich kein Browser öffnen; die Seite ist {page}</translation>
    </message>
    <message>
      <source>No echo is being removed.</source>
      <translation>Kein Echo wird entfernt.</translation>
    </message>
    <message>
      <source>No frame yet.</source>
      <translation>Noch kein Frame.</translation>
    </message>
    <message>
      <source>No model is loaded</source>
      <translation>Kein Modell ist geladen</translation>
    </message>
    <message>
      <source>No model is loaded yet.</source>
      <translation>Noch ist kein Modell geladen.</translation>
    </message>
    <message>
      <source>No model loaded</source>
      <translation>Kein Modell geladen</translation>
    </message>
    <message>
      <source>No persona text.</source>
      <translation>Kein Persona-Text.</translation>
    </message>
    <message>
      <source>No program opens folders here; the reports are in {folder}</source>
      <translation>Hier öffnet kein Programm Ordner; die Berichte liegen in {folder}</translation>
    </message>
    <message>
      <source>No talk yet</source>
      <translation>Noch kein Gespräch</translation>
    </message>
    <message>
      <source>No token is kept on this computer.</source>
      <translation>Auf diesem Rechner liegt kein Token.</translation>
    </message>
    <message>
      <source>None saved yet</source>
      <translation>Noch keine gespeichert</translation>
    </message>
    <message>
      <source>None yet: add some seconds of clear speech.</source>
      <translation>Noch keine: Fügen Sie einige Sekunden deutlicher Sprache hinzu.</translation>
    </message>
    <message>
      <source>Not on this computer: {reason}</source>
      <translation>Auf diesem Rechner nicht: {reason}</translation>
    </message>
    <message>
      <source>Nothing was heard: check the microphone's mute switch and the system's permission for it.</source>
      <translation>Nichts war zu hören: Prüfen Sie den Stummschalter des Mikrofons und die Erlaubnis des Systems dafür.</translation>
    </message>
    <message>
      <source>On this computer</source>
      <translation>Auf diesem Rechner</translation>
    </message>
    <message>
      <source>Only models trained for it, such as mini and PersonaPlex, follow a voice.</source>
      <translation>Nur Modelle, die darauf trainiert sind, wie mini und PersonaPlex, folgen einer Stimme.</translation>
    </message>
    <message>
      <source>Open &amp;reports of errors</source>
      <translation>Fehler&amp;berichte öffnen</translation>
    </message>
    <message>
      <source>Open reports</source>
      <translation>Berichte öffnen</translation>
    </message>
    <message>
      <source>Open the &amp;token page</source>
      <translation>Seite der &amp;Token öffnen</translation>
    </message>
    <message>
      <source>Open the model's &amp;page</source>
      <translation>Seit&amp;e des Modells öffnen</translation>
    </message>
    <message>
      <source>Other programs use it too, and Hugging Face's own tools delete it.</source>
      <translation>Auch andere Programme benutzen es; die Werkzeuge von Hugging Face löschen es.</translation>
    </message>
    <message>
      <source>Outcome of the trial</source>
      <translation>Ergebnis des Versuchs</translation>
    </message>
    <message>
      <source>Parley deletes nothing there.</source>
      <translation>Dort löscht Parley nichts.</translation>
    </message>
    <message>
      <source>Parley does not start again yet, because the words of this window cannot be kept meanwhile: the disk may be full. Save the transcript, or make room, then try again.</source>
      <translation>Parley startet noch nicht neu, weil die Worte dieses Fensters solange nicht aufbewahrt werden können: Vielleicht ist der Datenträger voll. Speichern Sie die Mitschrift oder schaffen Sie Platz, dann versuchen Sie es erneut.</translation>
    </message>
    <message>
      <source>Parley has started again. The words so far are here; the model has forgotten them.</source>
      <translation>Parley ist neu gestartet. Die bisherigen Worte sind hier; das Modell hat sie vergessen.</translation>
    </message>
    <message>
      <source>Past frames (K&amp;V)</source>
      <translation>Frühere Zeitschritte (K&amp;V)</translation>
    </message>
    <message>
      <source>Persona</source>
      <translation>Persona</translation>
    </message>
    <message>
      <source>Persona text</source>
      <translation>Persona-Text</translation>
    </message>
    <message>
      <source>Playing</source>
      <translation>Ton läuft</translation>
    </message>
    <message>
      <source>Preparing the voice and persona</source>
      <translation>Stimme und Persona werden vorbereitet</translation>
    </message>
    <message>
      <source>Press Record and speak as you would in a talk.</source>
      <translation>Drücken Sie „Aufnehmen“, und sprechen Sie wie in einem Gespräch.</translation>
    </message>
    <message>
      <source>Press Start talk and speak English. This small model knows a few things. Try: what is seven plus five? What is the capital of Italy? What is the opposite of hot? Tell me a story about a robot.</source>
      <translation>Drücken Sie „Gespräch beginnen“, und sprechen Sie Englisch. Dieses kleine Modell kennt nur wenige Dinge. Zum Beispiel: what is seven plus five? What is the capital of Italy? What is the opposite of hot? Tell me a story about a robot.</translation>
    </message>
    <message>
      <source>Press Start talk and speak. The model's words appear here.</source>
      <translation>Drücken Sie „Gespräch beginnen“, und sprechen Sie. Die Worte des Modells erscheinen hier.</translation>
    </message>
    <message>
      <source>Processor (CPU)</source>
      <translation>Prozessor (CPU)</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Fortschritt</translation>
    </message>
    <message>
      <source>Put the &amp;words of the talk into reports</source>
      <translation>Den Wort&amp;laut des Gesprächs in Fehlerberichte aufnehmen</translation>
    </message>
    <message>
      <source>Quiet. While you speak, the level should pass the first notch.</source>
      <translation>Leise. Während Sie sprechen, soll der Pegel über die erste Kerbe reichen.</translation>
    </message>
    <message>
      <source>Re&amp;cord…</source>
      <translation>Auf&amp;nehmen…</translation>
    </message>
    <message>
      <source>Re&amp;load model</source>
      <translation>Modell neu &amp;laden</translation>
    </message>
    <message>
      <source>Re&amp;name…</source>
      <translation>&amp;Umbenennen…</translation>
    </message>
    <message>
      <source>Read something aloud, in a quiet room.</source>
      <translation>Lesen Sie in einem ruhigen Raum etwas laut vor.</translation>
    </message>
    <message>
      <source>Ready to talk</source>
      <translation>Bereit zum Gespräch</translation>
    </message>
    <message>
      <source>Record both sides of this talk and the next ones, until you press again</source>
      <translation>Beide Seiten dieses und der nächsten Gespräche aufnehmen, bis Sie erneut drücken</translation>
    </message>
    <message>
      <source>Recording</source>
      <translation>Aufnahme</translation>
    </message>
    <message>
      <source>Recording, {seconds} of {longest} s</source>
      <translation>Aufnahme, {seconds} von {longest} s</translation>
    </message>
    <message>
      <source>Recording, {time}</source>
      <translation>Aufnahme, {time}</translation>
    </message>
    <message>
      <source>Recordings of talks</source>
      <translation>Aufnahmen von Gesprächen</translation>
    </message>
    <message>
      <source>Remove the loudspeaker's &amp;echo</source>
      <translation>Das &amp;Echo des Lautsprechers entfernen</translation>
    </message>
    <message>
      <source>Remove the loudspeaker's echo</source>
      <translation>Das Echo des Lautsprechers entfernen</translation>
    </message>
    <message>
      <source>Remove the token? Hugging Face's other tools on this computer lose it too.</source>
      <translation>Das Token entfernen? Auch die anderen Werkzeuge von Hugging Face auf diesem Rechner verlieren es.</translation>
    </message>
    <message>
      <source>Removing the token</source>
      <translation>Das Token wird entfernt</translation>
    </message>
    <message>
      <source>Rename</source>
      <translation>Umbenennen</translation>
    </message>
    <message>
      <source>Replays the whole frame as one recorded CUDA graph; the fastest way on an NVIDIA card.</source>
      <translation>Spielt den ganzen Frame als einen aufgezeichneten CUDA-Graphen ab; der schnellste Weg auf einer NVIDIA-Karte.</translation>
    </message>
    <message>
      <source>Reports of errors</source>
      <translation>Fehlerberichte</translation>
    </message>
    <message>
      <source>Return from the trial at once</source>
      <translation>Sofort vom Versuch zurückkehren</translation>
    </message>
    <message>
      <source>Run the eager mode for five seconds, return, and compare the two</source>
      <translation>Den Modus eager fünf Sekunden laufen lassen, zurückkehren und beide vergleichen</translation>
    </message>
    <message>
      <source>Runs the eager mode for five seconds, returns, and compares.</source>
      <translation>Lässt den Modus eager fünf Sekunden laufen, kehrt zurück und vergleicht.</translation>
    </message>
    <message>
      <source>Sampling</source>
      <translation>Auswahl der Worte und Klänge</translation>
    </message>
    <message>
      <source>Sav&amp;e as…</source>
      <translation>S&amp;peichern als…</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>Speichern</translation>
    </message>
    <message>
      <source>Save every frame's cost as a table (CSV) or as a trace for Perfetto</source>
      <translation>Die Kosten jedes Frames als Tabelle (CSV) oder als Aufzeichnung für Perfetto speichern</translation>
    </message>
    <message>
      <source>Save the transcript</source>
      <translation>Mitschrift speichern</translation>
    </message>
    <message>
      <source>Save the transcript before the window closes?</source>
      <translation>Die Mitschrift speichern, bevor das Fenster sich schließt?</translation>
    </message>
    <message>
      <source>Save the words of this window as text, Markdown or subtitles</source>
      <translation>Die Worte dieses Fensters als Text, Markdown oder Untertitel speichern</translation>
    </message>
    <message>
      <source>Saved as {name}</source>
      <translation>Gespeichert als {name}</translation>
    </message>
    <message>
      <source>Saved personas</source>
      <translation>Gespeicherte Personas</translation>
    </message>
    <message>
      <source>See which models are here, download, check and delete them</source>
      <translation>Sehen, welche Modelle hier sind, sie herunterladen, prüfen und löschen</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <source>Settings pages</source>
      <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
      <source>Show the same device &amp;under every sound system</source>
      <translation>Dasselbe Gerät unter &amp;jedem Tonsystem zeigen</translation>
    </message>
    <message>
      <source>Some models are given only to those who have accepted their licence, once:
1. Sign in at huggingface.co, open the model's page there and accept the licence.
2. Make a token of the kind “Read” on the token page, and copy it.
3. Paste it here. Hugging Face's own store keeps it, for its other tools too; Parley keeps none.</source>
      <translation>Manche Modelle bekommt nur, wer einmal ihre Lizenz angenommen hat:
1. Bei huggingface.co anmelden, dort die Seite des Modells öffnen und die Lizenz annehmen.
2. Auf der Seite der Token eines der Art „Read“ machen und kopieren.
3. Hier einfügen. Hugging Face verwahrt es selbst, auch für seine anderen Werkzeuge; Parley behält keines.</translation>
    </message>
    <message>
      <source>Something is being downloaded or checked; wait for it, or cancel it.</source>
      <translation>Es wird gerade etwas heruntergeladen oder geprüft; warten Sie darauf, oder brechen Sie es ab.</translation>
    </message>
    <message>
      <source>Sound files ({endings})</source>
      <translation>Tondateien ({endings})</translation>
    </message>
    <message>
      <source>Sound settings</source>
      <translation>Ton-Einstellungen</translation>
    </message>
    <message>
      <source>Sound, but the converted {names} does not fit it: delete that, and it is made anew when needed.</source>
      <translation>In Ordnung, aber das umgerechnete {names} passt nicht dazu: löschen Sie es, bei Bedarf wird es neu gemacht.</translation>
    </message>
    <message>
      <source>Sound: all {count} files are as published, and every tensor fits.</source>
      <translation>In Ordnung: alle {count} Dateien sind wie veröffentlicht, und jeder Tensor passt.</translation>
    </message>
    <message>
      <source>Sound: {compared} of {count} files are as published, and every tensor fits.</source>
      <translation>In Ordnung: {compared} von {count} Dateien sind wie veröffentlicht, und jeder Tensor passt.</translation>
    </message>
    <message>
      <source>Speak now</source>
      <translation>Sprechen Sie jetzt</translation>
    </message>
    <message>
      <source>Stages of the current frame</source>
      <translation>Stufen des aktuellen Frames</translation>
    </message>
    <message>
      <source>Start talk</source>
      <translation>Gespräch beginnen</translation>
    </message>
    <message>
      <source>Start talking</source>
      <translation>Mit dem Sprechen beginnen</translation>
    </message>
    <message>
      <source>Step {number} of {count}</source>
      <translation>Schritt {number} von {count}</translation>
    </message>
    <message>
      <source>Steps compiled for this computer; building them takes a while after each start.</source>
      <translation>Für diesen Rechner übersetzte Schritte; ihr Bau dauert nach jedem Start eine Weile.</translation>
    </message>
    <message>
      <source>Stop talk</source>
      <translation>Gespräch beenden</translation>
    </message>
    <message>
      <source>Stop talking</source>
      <translation>Das Gespräch beenden</translation>
    </message>
    <message>
      <source>Stopped by a fault</source>
      <translation>Durch einen Fehler angehalten</translation>
    </message>
    <message>
      <source>Subtitles of the last talk</source>
      <translation>Untertitel des letzten Gesprächs</translation>
    </message>
    <message>
      <source>Switching to eager</source>
      <translation>Wechsel zu eager</translation>
    </message>
    <message>
      <source>System default</source>
      <translation>Vorgabe des Systems</translation>
    </message>
    <message>
      <source>System default ({name})</source>
      <translation>Vorgabe des Systems ({name})</translation>
    </message>
    <message>
      <source>T&amp;ools</source>
      <translation>&amp;Werkzeuge</translation>
    </message>
    <message>
      <source>Table of frames</source>
      <translation>Tabelle der Frames</translation>
    </message>
    <message>
      <source>Talk of {date}</source>
      <translation>Gespräch vom {date}</translation>
    </message>
    <message>
      <source>Talk with this model from now on</source>
      <translation>Von jetzt an mit diesem Modell sprechen</translation>
    </message>
    <message>
      <source>Talking</source>
      <translation>Im Gespräch</translation>
    </message>
    <message>
      <source>Text</source>
      <translation>Text</translation>
    </message>
    <message>
      <source>Text &amp;size</source>
      <translation>Text&amp;größe</translation>
    </message>
    <message>
      <source>The bundled model is young: two of three answers are right, and names that it does not know become others.</source>
      <translation>Das mitgelieferte Modell ist jung: Zwei von drei Antworten stimmen, und Namen, die es nicht kennt, werden zu anderen.</translation>
    </message>
    <message>
      <source>The eager mode runs already.</source>
      <translation>Der Modus eager läuft schon.</translation>
    </message>
    <message>
      <source>The echo is {decibels} dB weaker.</source>
      <translation>Das Echo ist {decibels} dB schwächer.</translation>
    </message>
    <message>
      <source>The folder {folder} could not be opened.</source>
      <translation>Der Ordner {folder} ließ sich nicht öffnen.</translation>
    </message>
    <message>
      <source>The length shows once a model is loaded.</source>
      <translation>Die Länge erscheint, sobald ein Modell geladen ist.</translation>
    </message>
    <message>
      <source>The level shows while a talk runs.</source>
      <translation>Der Pegel erscheint, während ein Gespräch läuft.</translation>
    </message>
    <message>
      <source>The message above says what went wrong.</source>
      <translation>Die Meldung oben sagt, was schiefging.</translation>
    </message>
    <message>
      <source>The microphone delivers digital silence: check its mute switch and the system's permission.</source>
      <translation>Das Mikrofon liefert digitale Stille: Prüfen Sie seinen Stummschalter und die Erlaubnis des Systems.</translation>
    </message>
    <message>
      <source>The model hears silence; press to be heard again</source>
      <translation>Das Modell hört Stille; drücken Sie, um wieder gehört zu werden</translation>
    </message>
    <message>
      <source>The model hears you only while the talk key is held</source>
      <translation>Das Modell hört Sie nur, solange die Sprechtaste gehalten wird</translation>
    </message>
    <message>
      <source>The model hears you only while this, or {key}, is held</source>
      <translation>Das Modell hört Sie nur, solange dies oder {key} gehalten wird</translation>
    </message>
    <message>
      <source>The model hears you well.</source>
      <translation>Das Modell hört Sie gut.</translation>
    </message>
    <message>
      <source>The model is not loaded; see the message above.</source>
      <translation>Das Modell ist nicht geladen; siehe die Meldung oben.</translation>
    </message>
    <message>
      <source>The model is still loading.</source>
      <translation>Das Modell wird noch geladen.</translation>
    </message>
    <message>
      <source>The model's o&amp;wn values</source>
      <translation>&amp;Eigene Werte des Modells</translation>
    </message>
    <message>
      <source>The model's own</source>
      <translation>Die eigene des Modells</translation>
    </message>
    <message>
      <source>The program is closing.</source>
      <translation>Das Programm wird geschlossen.</translation>
    </message>
    <message>
      <source>The running talk still has the former persona; a new talk takes this one.</source>
      <translation>Das laufende Gespräch hat noch die vorige Persona; ein neues Gespräch nimmt diese.</translation>
    </message>
    <message>
      <source>The talk begins in a moment.</source>
      <translation>Das Gespräch beginnt gleich.</translation>
    </message>
    <message>
      <source>The talk goes on when the mode is built.</source>
      <translation>Das Gespräch geht weiter, wenn der Modus gebaut ist.</translation>
    </message>
    <message>
      <source>The talk's sound stops for a moment and goes on.</source>
      <translation>Der Ton des Gesprächs setzt kurz aus und geht dann weiter.</translation>
    </message>
    <message>
      <source>The trial ended before it had measured anything.</source>
      <translation>Der Versuch endete, bevor er etwas gemessen hatte.</translation>
    </message>
    <message>
      <source>There are no figures to copy yet</source>
      <translation>Es gibt noch keine Zahlen zu kopieren</translation>
    </message>
    <message>
      <source>There are no frames to export yet</source>
      <translation>Es gibt noch keine Frames zu exportieren</translation>
    </message>
    <message>
      <source>There are no reports of errors.</source>
      <translation>Es gibt keine Fehlerberichte.</translation>
    </message>
    <message>
      <source>There are no words to copy yet</source>
      <translation>Es gibt noch keine Worte zu kopieren</translation>
    </message>
    <message>
      <source>There are no words to save yet</source>
      <translation>Es gibt noch keine Worte zu speichern</translation>
    </message>
    <message>
      <source>There is no folder {folder} yet; it is made with the first recording.</source>
      <translation>Den Ordner {folder} gibt es noch nicht; er entsteht mit der ersten Aufnahme.</translation>
    </message>
    <message>
      <source>These weights are untrained: they exercise the program from end to end, and the answer is noise rather than speech. Choose a trained model in Settings, Engine.</source>
      <translation>Diese Gewichte sind untrainiert: Sie führen das Programm von Anfang bis Ende vor, und die Antwort ist Rauschen statt Sprache. Wählen Sie in den Einstellungen unter Engine ein trainiertes Modell.</translation>
    </message>
    <message>
      <source>This engine does not offer it.</source>
      <translation>Diese Engine bietet ihn nicht an.</translation>
    </message>
    <message>
      <source>This is how the model hears you</source>
      <translation>So hört Sie das Modell</translation>
    </message>
    <message>
      <source>This model is in use; choose another one before you delete it.</source>
      <translation>Dieses Modell ist in Gebrauch; wählen Sie ein anderes, bevor Sie es löschen.</translation>
    </message>
    <message>
      <source>Three soft notes, rising.</source>
      <translation>Drei leise, steigende Töne.</translation>
    </message>
    <message>
      <source>Tok&amp;en</source>
      <translation>Z&amp;ugangstoken</translation>
    </message>
    <message>
      <source>Too long: {words}</source>
      <translation>Zu lang: {words}</translation>
    </message>
    <message>
      <source>Too loud, it clips: lower the input level in the system's sound settings.</source>
      <translation>Zu laut, es übersteuert: Verringern Sie den Eingangspegel in den Toneinstellungen des Systems.</translation>
    </message>
    <message>
      <source>Trace for Perfetto</source>
      <translation>Aufzeichnung für Perfetto</translation>
    </message>
    <message>
      <source>Transcript</source>
      <translation>Mitschrift</translation>
    </message>
    <message>
      <source>Transcript copied</source>
      <translation>Mitschrift kopiert</translation>
    </message>
    <message>
      <source>Transcript of both sides</source>
      <translation>Mitschrift beider Seiten</translation>
    </message>
    <message>
      <source>Try &amp;again</source>
      <translation>N&amp;och einmal</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal versuchen</translation>
    </message>
    <message>
      <source>Turn background &amp;noise down</source>
      <translation>&amp;Hintergrundgeräusche dämpfen</translation>
    </message>
    <message>
      <source>Use</source>
      <translation>Benutzen</translation>
    </message>
    <message>
      <source>Values beyond the usual ones make talks loop or fall apart</source>
      <translation>Werte jenseits der üblichen lassen Gespräche kreisen oder zerfallen</translation>
    </message>
    <message>
      <source>Very quiet: come closer, or raise the input level in the system's sound settings.</source>
      <translation>Sehr leise: Kommen Sie näher, oder erhöhen Sie den Eingangspegel in den Toneinstellungen des Systems.</translation>
    </message>
    <message>
      <source>Voice</source>
      <translation>Stimme</translation>
    </message>
    <message>
      <source>Voice and persona hold from the next talk on.</source>
      <translation>Stimme und Persona gelten ab dem nächsten Gespräch.</translation>
    </message>
    <message>
      <source>Voice settings</source>
      <translation>Stimm-Einstellungen</translation>
    </message>
    <message>
      <source>Voice temperature</source>
      <translation>Temperatur der Stimme</translation>
    </message>
    <message>
      <source>Voice top-k</source>
      <translation>Top-k der Stimme</translation>
    </message>
    <message>
      <source>WAV: opens everywhere, 5.8 MB a minute</source>
      <translation>WAV: öffnet sich überall, 5,8 MB je Minute</translation>
    </message>
    <message>
      <source>Waiting for sound</source>
      <translation>Wartet auf den Ton</translation>
    </message>
    <message>
      <source>Waiting for the loudspeaker</source>
      <translation>Wartet auf den Lautsprecher</translation>
    </message>
    <message>
      <source>Waiting for the microphone</source>
      <translation>Wartet auf das Mikrofon</translation>
    </message>
    <message>
      <source>Weights {weights}, state of a talk {state}
Remembers {frames} frames ({time})</source>
      <translation>Gewichte {weights}, Zustand eines Gesprächs {state}
Erinnert sich an {frames} Frames ({time})</translation>
    </message>
    <message>
      <source>Welcome to Parley</source>
      <translation>Willkommen bei Parley</translation>
    </message>
    <message>
      <source>What a frame costs, in milliseconds</source>
      <translation>Was ein Frame kostet, in Millisekunden</translation>
    </message>
    <message>
      <source>What each mode costs in this talk, stage by stage</source>
      <translation>Was jeder Modus in diesem Gespräch kostet, Stufe für Stufe</translation>
    </message>
    <message>
      <source>What the model hears</source>
      <translation>Was das Modell hört</translation>
    </message>
    <message>
      <source>What they do shows while a talk runs.</source>
      <translation>Was sie tun, erscheint, während ein Gespräch läuft.</translation>
    </message>
    <message>
      <source>What you say is written into the transcript a moment after you have said it. It is heard on this computer alone; nothing leaves it.</source>
      <translation>Was Sie sagen, steht einen Augenblick später in der Mitschrift. Gehört wird es allein auf diesem Rechner; nichts verlässt ihn.</translation>
    </message>
    <message>
      <source>When Parley stops unexpectedly, it writes a report for you alone and sends it nowhere. Sound and persona are never in it.</source>
      <translation>Bricht Parley unerwartet ab, so schreibt es einen Bericht, den nur Sie lesen können, und sendet ihn nirgendwohin. Ton und Persona stehen nie darin.</translation>
    </message>
    <message>
      <source>When an echo is found</source>
      <translation>Wenn ein Echo gefunden wird</translation>
    </message>
    <message>
      <source>Which model?</source>
      <translation>Welches Modell?</translation>
    </message>
    <message>
      <source>Which models are here, downloads, licences</source>
      <translation>Welche Modelle hier sind, Herunterladen, Lizenzen</translation>
    </message>
    <message>
      <source>Will record the talk</source>
      <translation>Nimmt das Gespräch auf</translation>
    </message>
    <message>
      <source>Word temperature</source>
      <translation>Temperatur der Worte</translation>
    </message>
    <message>
      <source>Word top-k</source>
      <translation>Top-k der Worte</translation>
    </message>
    <message>
      <source>Write down what &amp;I say too</source>
      <translation>Auch mitschreiben, was &amp;ich sage</translation>
    </message>
    <message>
      <source>You</source>
      <translation>Sie</translation>
    </message>
    <message>
      <source>You are heard</source>
      <translation>Sie werden gehört</translation>
    </message>
    <message>
      <source>You can talk as soon as the model is loaded.</source>
      <translation>Sie können sprechen, sobald das Modell geladen ist.</translation>
    </message>
    <message>
      <source>You: </source>
      <translation>Sie: </translation>
    </message>
    <message>
      <source>Your voice is changed by {decibels} dB.</source>
      <translation>Ihre Stimme wird um {decibels} dB verändert.</translation>
    </message>
    <message>
      <source>Your voices</source>
      <translation>Ihre Stimmen</translation>
    </message>
    <message>
      <source>as exact as the model computes</source>
      <translation>so genau, wie das Modell rechnet</translation>
    </message>
    <message>
      <source>asking Hugging Face</source>
      <translation>Hugging Face wird gefragt</translation>
    </message>
    <message>
      <source>bfloat16: half the memory</source>
      <translation>bfloat16: halber Speicher</translation>
    </message>
    <message>
      <source>building compiled mode</source>
      <translation>Bau des Modus compiled</translation>
    </message>
    <message>
      <source>chosen</source>
      <translation>gewählt</translation>
    </message>
    <message>
      <source>clipping</source>
      <translation>übersteuert</translation>
    </message>
    <message>
      <source>close to the limit</source>
      <translation>nahe an der Grenze</translation>
    </message>
    <message>
      <source>codec</source>
      <translation>Codec</translation>
    </message>
    <message>
      <source>compiled</source>
      <translation>kompiliert</translation>
    </message>
    <message>
      <source>download</source>
      <translation>Herunterladen</translation>
    </message>
    <message>
      <source>eager</source>
      <translation>eager</translation>
    </message>
    <message>
      <source>float32: exact, twice the memory</source>
      <translation>float32: genau, doppelter Speicher</translation>
    </message>
    <message>
      <source>fp8-row: a quarter, one scale a row</source>
      <translation>fp8-row: ein Viertel, ein Maßstab je Zeile</translation>
    </message>
    <message>
      <source>fp8: a quarter, one scale a matrix</source>
      <translation>fp8: ein Viertel, ein Maßstab je Matrix</translation>
    </message>
    <message>
      <source>good</source>
      <translation>gut</translation>
    </message>
    <message>
      <source>graph</source>
      <translation>graph</translation>
    </message>
    <message>
      <source>in use</source>
      <translation>in Gebrauch</translation>
    </message>
    <message>
      <source>in {count} frames</source>
      <translation>in {count} Frames</translation>
    </message>
    <message>
      <source>int4: a seventh, less exact</source>
      <translation>int4: ein Siebtel, weniger genau</translation>
    </message>
    <message>
      <source>int8: a quarter, nearly as exact</source>
      <translation>int8: ein Viertel, fast so genau</translation>
    </message>
    <message>
      <source>it takes a while, once after each start</source>
      <translation>es dauert eine Weile, einmal nach jedem Start</translation>
    </message>
    <message>
      <source>language model</source>
      <translation>Sprachmodell</translation>
    </message>
    <message>
      <source>late</source>
      <translation>verspätet</translation>
    </message>
    <message>
      <source>layers and steps: builds soonest</source>
      <translation>Schichten und Schritte: am schnellsten gebaut</translation>
    </message>
    <message>
      <source>loud</source>
      <translation>laut</translation>
    </message>
    <message>
      <source>measured</source>
      <translation>gemessen</translation>
    </message>
    <message>
      <source>mini, a folder, or a Hugging Face id such as kyutai/moshiko-pytorch-bf16.</source>
      <translation>mini, ein Ordner oder eine Hugging-Face-Kennung wie kyutai/moshiko-pytorch-bf16.</translation>
    </message>
    <message>
      <source>model's own</source>
      <translation>vom Modell</translation>
    </message>
    <message>
      <source>no signal yet</source>
      <translation>noch kein Signal</translation>
    </message>
    <message>
      <source>no talk yet</source>
      <translation>noch kein Gespräch</translation>
    </message>
    <message>
      <source>not connected</source>
      <translation>nicht angeschlossen</translation>
    </message>
    <message>
      <source>not found</source>
      <translation>nicht gefunden</translation>
    </message>
    <message>
      <source>not measured</source>
      <translation>nicht gemessen</translation>
    </message>
    <message>
      <source>not on this computer</source>
      <translation>nicht auf diesem Rechner</translation>
    </message>
    <message>
      <source>not used in this talk</source>
      <translation>in diesem Gespräch nicht benutzt</translation>
    </message>
    <message>
      <source>now</source>
      <translation>jetzt</translation>
    </message>
    <message>
      <source>of 80 ms</source>
      <translation>von 80 ms</translation>
    </message>
    <message>
      <source>of 80, {judged}</source>
      <translation>von 80, {judged}</translation>
    </message>
    <message>
      <source>of {count} in 60 s</source>
      <translation>von {count} in 60 s</translation>
    </message>
    <message>
      <source>of {count}, {skipped} skipped</source>
      <translation>von {count}, {skipped} fehlen</translation>
    </message>
    <message>
      <source>over the limit</source>
      <translation>über der Grenze</translation>
    </message>
    <message>
      <source>owner/name, as on Hugging Face</source>
      <translation>Eigentümer/Name, wie bei Hugging Face</translation>
    </message>
    <message>
      <source>quiet</source>
      <translation>leise</translation>
    </message>
    <message>
      <source>silent</source>
      <translation>still</translation>
    </message>
    <message>
      <source>slow</source>
      <translation>langsam</translation>
    </message>
    <message>
      <source>starting the engine</source>
      <translation>die Engine wird gestartet</translation>
    </message>
    <message>
      <source>stopping</source>
      <translation>wird beendet</translation>
    </message>
    <message>
      <source>the talk is paused and goes on afterwards</source>
      <translation>das Gespräch ruht und geht danach weiter</translation>
    </message>
    <message>
      <source>total</source>
      <translation>gesamt</translation>
    </message>
    <message>
      <source>untrained</source>
      <translation>untrainiert</translation>
    </message>
    <message>
      <source>warm-up</source>
      <translation>Aufwärmen</translation>
    </message>
    <message>
      <source>whole stages, kernels by trial: builds longest</source>
      <translation>ganze Stufen, Kernel nach Versuch: am längsten gebaut</translation>
    </message>
    <message>
      <source>whole stages, with PyTorch's CUDA graphs</source>
      <translation>ganze Stufen, mit PyTorchs CUDA-Graphen</translation>
    </message>
    <message>
      <source>within budget</source>
      <translation>innerhalb der Grenze</translation>
    </message>
    <message>
      <source>{cost} of 80 ms, {judged}: {parts}.</source>
      <translation>{cost} von 80 ms, {judged}: {parts}.</translation>
    </message>
    <message>
      <source>{count} frames</source>
      <translation>{count} Frames</translation>
    </message>
    <message>
      <source>{count} more</source>
      <translation>{count} weitere</translation>
    </message>
    <message>
      <source>{count} of {all}</source>
      <translation>{count} von {all}</translation>
    </message>
    <message>
      <source>{count} token takes {seconds} s</source>
      <translation>{count} Token kostet {seconds} s</translation>
    </message>
    <message>
      <source>{count} tokens take {seconds} s</source>
      <translation>{count} Token kosten {seconds} s</translation>
    </message>
    <message>
      <source>{done} of {total}</source>
      <translation>{done} von {total}</translation>
    </message>
    <message>
      <source>{done} of {total} are here; the rest can be fetched at any time</source>
      <translation>{done} von {total} sind hier; der Rest lässt sich jederzeit holen</translation>
    </message>
    <message>
      <source>{model} is chosen</source>
      <translation>{model} ist gewählt</translation>
    </message>
    <message>
      <source>{model} on {device} in {precision}: weights {weights}, state of a talk {state}, remembers {time}.</source>
      <translation>{model} auf {device} in {precision}: Gewichte {weights}, Zustand eines Gesprächs {state}, erinnert sich an {time}.</translation>
    </message>
    <message>
      <source>{model} on {device}, {precision}</source>
      <translation>{model} auf {device}, {precision}</translation>
    </message>
    <message>
      <source>{model} was not given out; what to do stands under “Models with a licence”.</source>
      <translation>{model} wurde nicht herausgegeben; was zu tun ist, steht unter „Modelle mit Lizenz“.</translation>
    </message>
    <message>
      <source>{model} was refused: it asks for an account and an accepted licence.</source>
      <translation>{model} wurde verweigert: es verlangt ein Konto und eine angenommene Lizenz.</translation>
    </message>
    <message>
      <source>{model} was refused: the account of your token has not accepted its licence.</source>
      <translation>{model} wurde verweigert: das Konto Ihres Tokens hat seine Lizenz nicht angenommen.</translation>
    </message>
    <message>
      <source>{mode} mode</source>
      <translation>Modus {mode}</translation>
    </message>
    <message>
      <source>{mode}: {frames} frames, median {p50}, 95 of 100 within {p95}, {late} late</source>
      <translation>{mode}: {frames} Frames, Median {p50}, 95 von 100 innerhalb {p95}, {late} verspätet</translation>
    </message>
    <message>
      <source>{name} {value} was brought to {lifted}</source>
      <translation>{name} {value} wurde auf {lifted} gesetzt</translation>
    </message>
    <message>
      <source>{ratio} times as long.</source>
      <translation>{ratio}-mal so lange.</translation>
    </message>
    <message>
      <source>{seconds} s ago, {mode}
{cost} of 80 ms
{parts}</source>
      <translation>vor {seconds} s, {mode}
{cost} von 80 ms
{parts}</translation>
    </message>
    <message>
      <source>{seconds} s recorded.</source>
      <translation>{seconds} s aufgenommen.</translation>
    </message>
    <message>
      <source>{sentence} The earlier model is loaded again.</source>
      <translation>{sentence} Das vorige Modell wird wieder geladen.</translation>
    </message>
    <message>
      <source>{sizes}, {rate} a second, about {time} left</source>
      <translation>{sizes}, {rate} je Sekunde, noch etwa {time}</translation>
    </message>
    <message>
      <source>{time} of talk, {count} frames; the first frame after a switch stands apart</source>
      <translation>{time} Gespräch, {count} Frames; der erste Frame nach einem Wechsel steht für sich</translation>
    </message>
    <message>
      <source>{tried} took {tried_p50} a frame (95 of 100 within {tried_p95}), {usual} {usual_p50} ({usual_p95})</source>
      <translation>{tried} brauchte {tried_p50} je Frame (95 von 100 innerhalb {tried_p95}), {usual} {usual_p50} ({usual_p95})</translation>
    </message>
    <message>
      <source>{voice} is now {name}.</source>
      <translation>{voice} heißt jetzt {name}.</translation>
    </message>
    <message>
      <source>{words} of the {memory} s that the model remembers</source>
      <translation>{words} von den {memory} s, an die sich das Modell erinnert</translation>
    </message>
    <message>
      <source>▲ microphone frames skipped</source>
      <translation>▲ Mikrofon-Frames ausgelassen</translation>
    </message>
    <message>
      <source>◆ gap in the sound</source>
      <translation>◆ Lücke im Ton</translation>
    </message>
  </context>
  <context>
    <name>Sentences</name>
    <message>
      <source> (PortAudio error {1})</source>
      <translation> (PortAudio-Fehler {1})</translation>
    </message>
    <message>
      <source> (or run `hf auth login`)</source>
      <translation> (oder mit `hf auth login`)</translation>
    </message>
    <message>
      <source> Did you mean "{1}"?</source>
      <translation> Meinten Sie „{1}“?</translation>
    </message>
    <message>
      <source> What was recorded until then is in {1}.</source>
      <translation> Was bis dahin aufgenommen wurde, liegt in {1}.</translation>
    </message>
    <message>
      <source> and no </source>
      <translation> und kein </translation>
    </message>
    <message>
      <source> in line {1}</source>
      <translation> in Zeile {1}</translation>
    </message>
    <message>
      <source> of the {1} s that it should last</source>
      <translation> von den {1} s, die sie dauern sollte</translation>
    </message>
    <message>
      <source>, and {1} more</source>
      <translation>, und {1} weitere</translation>
    </message>
    <message>
      <source>. It looks like {1}.</source>
      <translation>. Es sieht aus wie {1}.</translation>
    </message>
    <message>
      <source>. {1} Put the config.json that belongs to the model beside it, or fetch the model again.</source>
      <translation>. {1} Legen Sie die config.json des Modells daneben, oder holen Sie das Modell neu.</translation>
    </message>
    <message>
      <source>: it holds no model, or its download is incomplete</source>
      <translation>: er enthält kein Modell, oder das Herunterladen ist nicht fertig</translation>
    </message>
    <message>
      <source>; it has {1}</source>
      <translation>; er enthält {1}</translation>
    </message>
    <message>
      <source>; it looks like a Hugging Face transformers model, but Moshi's own format is needed</source>
      <translation>; es sieht nach einem Modell für Hugging Face transformers aus, gebraucht wird aber Moshis eigenes Format</translation>
    </message>
    <message>
      <source>A frame takes {1} ms on this computer and the budget is {2} ms, so parts of the talk are lost; {3}.</source>
      <translation>Ein Frame dauert auf diesem Rechner {1} ms, erlaubt sind {2} ms; daher gehen Teile des Gesprächs verloren; {3}.</translation>
    </message>
    <message>
      <source>A model's id on Hugging Face has the form owner/name.</source>
      <translation>Die Kennung eines Modells bei Hugging Face hat die Form Eigentümer/Name.</translation>
    </message>
    <message>
      <source>A name cannot begin or end with a point.</source>
      <translation>Ein Name darf nicht mit einem Punkt beginnen oder enden.</translation>
    </message>
    <message>
      <source>A name cannot hold the sign {1}</source>
      <translation>Ein Name darf das Zeichen {1} nicht enthalten</translation>
    </message>
    <message>
      <source>A part of Parley, "{1}", is missing: this installation is incomplete, so install it again.</source>
      <translation>Ein Teil von Parley, „{1}“, fehlt: Die Installation ist unvollständig; installieren Sie neu.</translation>
    </message>
    <message>
      <source>A sound file as voice needs the Python package pyloudnorm: install it, or choose a .pt voice.</source>
      <translation>Eine Tondatei als Stimme braucht das Python-Paket pyloudnorm: Installieren Sie es, oder wählen Sie eine .pt-Stimme.</translation>
    </message>
    <message>
      <source>A talk began, so this was broken off.</source>
      <translation>Ein Gespräch hat begonnen, daher wurde dies abgebrochen.</translation>
    </message>
    <message>
      <source>A talk is already running; New talk begins another one.</source>
      <translation>Ein Gespräch läuft schon; „Neues Gespräch“ beginnt ein anderes.</translation>
    </message>
    <message>
      <source>A talk is running; end it first.</source>
      <translation>Ein Gespräch läuft; beenden Sie es zuerst.</translation>
    </message>
    <message>
      <source>A test kernel failed: {1}.</source>
      <translation>Ein Probe-Kernel ist gescheitert: {1}.</translation>
    </message>
    <message>
      <source>A test kernel was not ready after {1} seconds.</source>
      <translation>Ein Probe-Kernel war nach {1} Sekunden nicht fertig.</translation>
    </message>
    <message>
      <source>A test of the kernel compiler could not be started: {1}.</source>
      <translation>Eine Probe des Kernel-Compilers ließ sich nicht starten: {1}.</translation>
    </message>
    <message>
      <source>Another check is running.</source>
      <translation>Es läuft schon eine andere Prüfung.</translation>
    </message>
    <message>
      <source>CUDA graphs are off because the environment variable {1} is set.</source>
      <translation>CUDA-Graphen sind aus, weil die Umgebungsvariable {1} gesetzt ist.</translation>
    </message>
    <message>
      <source>CUDA graphs are switched off.</source>
      <translation>CUDA-Graphen sind abgeschaltet.</translation>
    </message>
    <message>
      <source>CUDA graphs do not give the same result as eager mode on this computer, so they stay off. Use eager mode, and please report the graphics card and driver.</source>
      <translation>CUDA-Graphen liefern auf diesem Rechner nicht dasselbe Ergebnis wie der Modus eager, daher bleiben sie aus. Benutzen Sie den Modus eager, und melden Sie bitte Grafikkarte und Treiber.</translation>
    </message>
    <message>
      <source>CUDA graphs need an NVIDIA GPU.</source>
      <translation>CUDA-Graphen brauchen eine NVIDIA-GPU.</translation>
    </message>
    <message>
      <source>Close other programs that use it, or choose a smaller model such as mini.</source>
      <translation>Schließen Sie andere Programme, die ihn belegen, oder wählen Sie ein kleineres Modell wie mini.</translation>
    </message>
    <message>
      <source>Comes with the program; small enough for any processor.</source>
      <translation>Im Programm enthalten; klein genug für jeden Prozessor.</translation>
    </message>
    <message>
      <source>FLAC needs the Python package soundfile, which is missing: choose WAV instead.</source>
      <translation>FLAC braucht das Python-Paket soundfile, das fehlt: Wählen Sie stattdessen WAV.</translation>
    </message>
    <message>
      <source>Follows a voice and a persona. Its licence is accepted once, online.</source>
      <translation>Folgt einer Stimme und einer Persona. Die Lizenz wird einmal im Netz angenommen.</translation>
    </message>
    <message>
      <source>Frames are slower than at the start of this talk: {1} ms against {2} ms; close other programs that use the graphics card or the processor.</source>
      <translation>Frames dauern länger als zu Beginn dieses Gesprächs: {1} ms statt {2} ms; schließen Sie andere Programme, die Grafikkarte oder Prozessor belasten.</translation>
    </message>
    <message>
      <source>Give a model's id on Hugging Face, such as kyutai/moshiko-pytorch-bf16.</source>
      <translation>Geben Sie die Kennung eines Modells bei Hugging Face an, etwa kyutai/moshiko-pytorch-bf16.</translation>
    </message>
    <message>
      <source>Give it a name.</source>
      <translation>Geben Sie einen Namen an.</translation>
    </message>
    <message>
      <source>Hugging Face answered with error {1} for {2}: try again later.</source>
      <translation>Hugging Face antwortete mit dem Fehler {1} für {2}: Versuchen Sie es später wieder.</translation>
    </message>
    <message>
      <source>Hugging Face cannot be reached for {1}: check the internet connection and start again, {2}.</source>
      <translation>Hugging Face ist für {1} nicht zu erreichen: Prüfen Sie die Internetverbindung, und starten Sie erneut, {2}.</translation>
    </message>
    <message>
      <source>Hugging Face cannot be reached, so the token was not kept: check the internet connection and try again.</source>
      <translation>Hugging Face ist nicht zu erreichen, daher wurde das Token nicht gespeichert: Prüfen Sie die Internetverbindung, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>Hugging Face did not answer as expected, so the token was not kept: try again later.</source>
      <translation>Hugging Face antwortete nicht wie erwartet, daher wurde das Token nicht gespeichert: Versuchen Sie es später wieder.</translation>
    </message>
    <message>
      <source>Hugging Face does not give out {1} without signing in: check the name, accept the licence at {2} if there is one, give your token in Settings, Models{3}, and try again.</source>
      <translation>Hugging Face gibt {1} nicht ohne Anmeldung heraus: Prüfen Sie den Namen, nehmen Sie gegebenenfalls die Lizenz auf {2} an, geben Sie Ihr Token unter Einstellungen, Modelle an{3}, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>Hugging Face does not know this token: copy the whole of it, or make a new one.</source>
      <translation>Hugging Face kennt dieses Token nicht: Kopieren Sie es ganz, oder machen Sie ein neues.</translation>
    </message>
    <message>
      <source>In {1} this model says the same as before in only {2} % of its tokens (at least {3} % are needed), so it is not offered: choose another precision.</source>
      <translation>In {1} sagt dieses Modell nur in {2} % seiner Token dasselbe wie zuvor (nötig sind {3} %), daher wird es nicht angeboten: Wählen Sie eine andere Genauigkeit.</translation>
    </message>
    <message>
      <source>It was left out.</source>
      <translation>Die Angabe wurde weggelassen.</translation>
    </message>
    <message>
      <source>Kyutai's Moshi with the voice Moshika.</source>
      <translation>Kyutais Moshi mit der Stimme Moshika.</translation>
    </message>
    <message>
      <source>Kyutai's Moshi with the voice Moshiko.</source>
      <translation>Kyutais Moshi mit der Stimme Moshiko.</translation>
    </message>
    <message>
      <source>Memory ran out while the {1} was loaded on {2}: close other programs.</source>
      <translation>Beim Laden ({1}) ging der Speicher auf {2} aus: Schließen Sie andere Programme.</translation>
    </message>
    <message>
      <source>Mini (bundled)</source>
      <translation>Mini (mitgeliefert)</translation>
    </message>
    <message>
      <source>Moshi 7B, female voice</source>
      <translation>Moshi 7B, Frauenstimme</translation>
    </message>
    <message>
      <source>Moshi 7B, male voice</source>
      <translation>Moshi 7B, Männerstimme</translation>
    </message>
    <message>
      <source>Needs an NVIDIA graphics card with {1}; on a processor it is far too slow.</source>
      <translation>Braucht eine NVIDIA-Grafikkarte mit {1}; auf einem Prozessor ist es viel zu langsam.</translation>
    </message>
    <message>
      <source>Needs at least {1}, and the {2} has {3}.</source>
      <translation>Braucht mindestens {1}; {2} hat {3}.</translation>
    </message>
    <message>
      <source>No model is loaded yet; its modes can be chosen once one is.</source>
      <translation>Noch ist kein Modell geladen; erst dann lassen sich seine Modi wählen.</translation>
    </message>
    <message>
      <source>No model is loaded yet; load one first.</source>
      <translation>Noch ist kein Modell geladen; laden Sie zuerst eines.</translation>
    </message>
    <message>
      <source>No new talk was begun, because the sound could not be opened again: {1}</source>
      <translation>Es wurde kein neues Gespräch begonnen, weil der Ton nicht wieder geöffnet werden konnte: {1}</translation>
    </message>
    <message>
      <source>No precision offered here makes it fit: choose a smaller model such as mini, or another device.</source>
      <translation>In keiner der hier angebotenen Genauigkeiten passt es: Wählen Sie ein kleineres Modell wie mini oder ein anderes Gerät.</translation>
    </message>
    <message>
      <source>No sound device was found: plug one in and check that the system's sound server runs.</source>
      <translation>Kein Tongerät gefunden: Schließen Sie eines an, und prüfen Sie, ob der Tonserver des Systems läuft.</translation>
    </message>
    <message>
      <source>No {1} compiler was found (looked for {2}).</source>
      <translation>Kein {1}-Compiler gefunden (gesucht: {2}).</translation>
    </message>
    <message>
      <source>No {1} was found: plug one in, check that the system's sound server runs, then try again.</source>
      <translation>Kein {1} gefunden: Schließen Sie eines an, prüfen Sie, ob der Tonserver des Systems läuft, und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
      <source>Noise suppression needs the package {1}, which is not installed: install it with `pip install {2}`, or turn noise suppression off in Settings.</source>
      <translation>Die Rauschunterdrückung braucht das Paket {1}, das nicht installiert ist: Installieren Sie es mit `pip install {2}`, oder schalten Sie die Rauschunterdrückung in den Einstellungen aus.</translation>
    </message>
    <message>
      <source>Noise suppression stopped working and was left out: turn it off in Settings, or install {1} again.</source>
      <translation>Die Rauschunterdrückung fiel aus und wurde weggelassen: Schalten Sie sie in den Einstellungen aus, oder installieren Sie {1} neu.</translation>
    </message>
    <message>
      <source>Over {1} frames {2} % of the likeliest tokens are those of the plain model; logits are apart by {3} % (words) and {4} % (sounds) of their spread.</source>
      <translation>Über {1} Frames sind {2} % der wahrscheinlichsten Token die des unveränderten Modells; die Logits liegen um {3} % (Wörter) und {4} % (Klänge) ihrer Streuung auseinander.</translation>
    </message>
    <message>
      <source>Parley came to a sudden end the last time, in a driver or a library, and {1}.</source>
      <translation>Parley fand beim letzten Mal ein jähes Ende, in einem Treiber oder einer Bibliothek, und {1}.</translation>
    </message>
    <message>
      <source>Precision {1} would fit.</source>
      <translation>In der Genauigkeit {1} würde es passen.</translation>
    </message>
    <message>
      <source>PyTorch cannot be used ({1}); see parley doctor.</source>
      <translation>PyTorch ist nicht zu gebrauchen ({1}); siehe parley doctor.</translation>
    </message>
    <message>
      <source>Python's C headers are missing (package python3-dev on Debian and Ubuntu, python3-devel on Fedora).</source>
      <translation>Pythons C-Header fehlen (Paket python3-dev bei Debian und Ubuntu, python3-devel bei Fedora).</translation>
    </message>
    <message>
      <source>Something is being downloaded or checked already; wait for it, or cancel it.</source>
      <translation>Es wird schon etwas heruntergeladen oder geprüft; warten Sie darauf, oder brechen Sie es ab.</translation>
    </message>
    <message>
      <source>Something went wrong that should not, and {1}. If the window acts oddly, close and open it.</source>
      <translation>Etwas ging schief, das nicht schiefgehen sollte, und {1}. Verhält sich das Fenster seltsam, schließen und öffnen Sie es.</translation>
    </message>
    <message>
      <source>Sound files cannot be read: the package soundfile is missing; see parley doctor.</source>
      <translation>Tondateien lassen sich nicht lesen: Das Paket soundfile fehlt; siehe parley doctor.</translation>
    </message>
    <message>
      <source>Sound is off because the PortAudio library cannot be loaded ({1}): {2}.</source>
      <translation>Der Ton ist aus, weil sich die Bibliothek PortAudio nicht laden lässt ({1}): {2}.</translation>
    </message>
    <message>
      <source>Takes {1} of memory, the program included.</source>
      <translation>Braucht {1} Speicher, das Programm eingerechnet.</translation>
    </message>
    <message>
      <source>Takes {1} of the {2} of the {3}, in {4}.</source>
      <translation>Braucht {1} von {2} auf {3}, in {4}.</translation>
    </message>
    <message>
      <source>That is no access token: copy the whole of it, it begins with hf_.</source>
      <translation>Das ist kein Zugangstoken: Kopieren Sie es ganz, es beginnt mit hf_.</translation>
    </message>
    <message>
      <source>The CUDA graph of “{1}” could not be captured: {2} Eager mode still works.</source>
      <translation>Der CUDA-Graph von „{1}“ ließ sich nicht aufzeichnen: {2} Der Modus eager läuft weiterhin.</translation>
    </message>
    <message>
      <source>The GPU's memory ran out while {1}: close other programs that use the GPU, or choose a smaller precision or model.</source>
      <translation>Der Speicher der GPU ging aus, während {1}: Schließen Sie andere Programme, die die GPU benutzen, oder wählen Sie eine kleinere Genauigkeit oder ein kleineres Modell.</translation>
    </message>
    <message>
      <source>The Python package sounddevice is not installed: run packaging/launch.py again to set it up.</source>
      <translation>Das Python-Paket sounddevice ist nicht installiert: Starten Sie packaging/launch.py noch einmal, um es einzurichten.</translation>
    </message>
    <message>
      <source>The codec</source>
      <translation>Der Codec</translation>
    </message>
    <message>
      <source>The codec has {1} codebooks where the language model needs {2}.</source>
      <translation>Der Codec hat {1} Codebücher, das Sprachmodell braucht {2}.</translation>
    </message>
    <message>
      <source>The codec's config</source>
      <translation>Die Konfiguration des Codecs</translation>
    </message>
    <message>
      <source>The codec's config has "{1}" that is not a table of values.</source>
      <translation>In der Konfiguration des Codecs ist „{1}“ keine Tabelle von Werten.</translation>
    </message>
    <message>
      <source>The computer's memory ran out while {1}: close other programs, or choose a smaller model.</source>
      <translation>Der Speicher des Rechners ging aus, während {1}: Schließen Sie andere Programme, oder wählen Sie ein kleineres Modell.</translation>
    </message>
    <message>
      <source>The conversation has been closed; start Parley again.</source>
      <translation>Die Unterhaltung wurde geschlossen; starten Sie Parley neu.</translation>
    </message>
    <message>
      <source>The converted model could not be written to {1}: {2}.</source>
      <translation>Das umgerechnete Modell ließ sich nicht nach {1} schreiben: {2}.</translation>
    </message>
    <message>
      <source>The converted model {1} was damaged and is deleted: load the model again, and it is converted anew. If it is damaged then too, so is the model's own file: fetch that again.</source>
      <translation>Das umgerechnete Modell {1} war beschädigt und ist gelöscht: Laden Sie das Modell noch einmal, es wird dann neu umgerechnet. Ist es auch danach beschädigt, so ist es die Datei des Modells selbst: Holen Sie diese neu.</translation>
    </message>
    <message>
      <source>The device must be auto, cpu or cuda, not {1}.</source>
      <translation>Das Gerät muss auto, cpu oder cuda sein, nicht {1}.</translation>
    </message>
    <message>
      <source>The disk is full, so {1} could not be saved: make room and start again, {2}.</source>
      <translation>Die Platte ist voll, daher ließ sich {1} nicht speichern: Schaffen Sie Platz, und starten Sie erneut, {2}.</translation>
    </message>
    <message>
      <source>The download needs {1} on the disk, but {2} has {3} free: make room, or choose a smaller model.</source>
      <translation>Das Herunterladen braucht {1} auf der Platte, aber in {2} sind {3} frei: Schaffen Sie Platz, oder wählen Sie ein kleineres Modell.</translation>
    </message>
    <message>
      <source>The download of {1} arrived damaged ({2}): start it again to fetch that file anew.</source>
      <translation>{1} kam beschädigt an ({2}): Starten Sie erneut, um diese Datei neu zu holen.</translation>
    </message>
    <message>
      <source>The download of {1} was cut off again and again: start it again, {2}.</source>
      <translation>Das Herunterladen von {1} brach immer wieder ab: Starten Sie es erneut, {2}.</translation>
    </message>
    <message>
      <source>The engine has not come back from {1} for {2} s, and cannot be stopped: start Parley again. Settings and the words of this window are kept.</source>
      <translation>Die Engine kommt seit {2} s nicht von {1} zurück und lässt sich nicht anhalten: Starten Sie Parley neu. Die Einstellungen und die Worte dieses Fensters bleiben erhalten.</translation>
    </message>
    <message>
      <source>The engine stopped on an error of which nothing more could be found out, most likely because the computer's memory ran out: close other programs, then load the model again.</source>
      <translation>Die Engine hielt wegen eines Fehlers an, über den sich nichts weiter herausfinden ließ, wahrscheinlich weil der Arbeitsspeicher des Computers voll ist: Schließen Sie andere Programme und laden Sie dann das Modell erneut.</translation>
    </message>
    <message>
      <source>The engine stopped on an unexpected error ({1}: {2}); the log has its details.</source>
      <translation>Die Engine hielt wegen eines unerwarteten Fehlers an ({1}: {2}); Näheres steht im Protokoll.</translation>
    </message>
    <message>
      <source>The folder {1} could not be made ({2}).</source>
      <translation>Der Ordner {1} ließ sich nicht anlegen ({2}).</translation>
    </message>
    <message>
      <source>The fused codec kernels need widths and codebooks that are powers of two.</source>
      <translation>Die verschmolzenen Codec-Kernel brauchen Breiten und Codebücher, die Zweierpotenzen sind.</translation>
    </message>
    <message>
      <source>The fused codec kernels take two latents a frame.</source>
      <translation>Die verschmolzenen Codec-Kernel nehmen zwei Latents je Frame.</translation>
    </message>
    <message>
      <source>The fused kernels cannot be used, so that each frame takes longer: {1}</source>
      <translation>Die verschmolzenen Kernel sind nicht zu gebrauchen, daher dauert jeder Frame länger: {1}</translation>
    </message>
    <message>
      <source>The fused kernels failed on this card: {1}.</source>
      <translation>Die verschmolzenen Kernel scheiterten auf dieser Karte: {1}.</translation>
    </message>
    <message>
      <source>The fused kernels for fp8 weights need a card of compute capability 8.9 or later.</source>
      <translation>Die verschmolzenen Kernel für fp8-Gewichte brauchen eine Karte mit Compute Capability 8.9 oder höher.</translation>
    </message>
    <message>
      <source>The fused kernels for quantised weights need a depth width of at least 64 and two heads.</source>
      <translation>Die verschmolzenen Kernel für quantisierte Gewichte brauchen eine Depth-Breite von mindestens 64 und zwei Köpfe.</translation>
    </message>
    <message>
      <source>The fused kernels need an NVIDIA GPU.</source>
      <translation>Die verschmolzenen Kernel brauchen eine NVIDIA-GPU.</translation>
    </message>
    <message>
      <source>The fused kernels need attention heads of at least four numbers.</source>
      <translation>Die verschmolzenen Kernel brauchen Attention-Köpfe von mindestens vier Zahlen.</translation>
    </message>
    <message>
      <source>The fused kernels need head sizes, the depth width and the codebook size to be powers of two.</source>
      <translation>Für die verschmolzenen Kernel müssen Kopfgrößen, Depth-Breite und Codebuchgröße Zweierpotenzen sein.</translation>
    </message>
    <message>
      <source>The fused kernels need quantised weights whose rows and four-bit groups are whole pieces of 16 bytes.</source>
      <translation>Die verschmolzenen Kernel brauchen quantisierte Gewichte, deren Zeilen und Vier-Bit-Gruppen ganze Stücke von 16 Byte sind.</translation>
    </message>
    <message>
      <source>The fused kernels serve one talk at a time.</source>
      <translation>Die verschmolzenen Kernel bedienen immer nur ein Gespräch.</translation>
    </message>
    <message>
      <source>The graphics card's driver gave this program up after an error in its work, and nothing can run on the card until Parley starts again. Settings and the words of this window are kept.</source>
      <translation>Der Treiber der Grafikkarte hat dieses Programm nach einem Fehler aufgegeben; auf der Karte läuft nichts mehr, bis Parley neu startet. Die Einstellungen und die Worte dieses Fensters bleiben erhalten.</translation>
    </message>
    <message>
      <source>The language model</source>
      <translation>Das Sprachmodell</translation>
    </message>
    <message>
      <source>The loudspeaker moves no sound, so it was broken off: check that it is plugged in and try again.</source>
      <translation>Der Lautsprecher bewegt keinen Ton, also wurde abgebrochen: Prüfen Sie, ob er angeschlossen ist, und versuchen Sie es erneut.</translation>
    </message>
    <message>
      <source>The memory of the talk (kv) must be one of {1}, not {2}.</source>
      <translation>Das Gedächtnis des Gesprächs (kv) muss eines von {1} sein, nicht {2}.</translation>
    </message>
    <message>
      <source>The microphone "{1}" gives only digital silence: check its mute switch and that the system's privacy settings let Parley use the microphone.</source>
      <translation>Das Mikrofon „{1}“ liefert nur digitale Stille: Prüfen Sie seinen Stummschalter und ob die Datenschutzeinstellungen des Systems Parley das Mikrofon erlauben.</translation>
    </message>
    <message>
      <source>The microphone delivers nothing; choose another one.</source>
      <translation>Das Mikrofon liefert nichts; wählen Sie ein anderes.</translation>
    </message>
    <message>
      <source>The microphone moves no sound, so it was broken off: check that it is plugged in and try again.</source>
      <translation>Das Mikrofon bewegt keinen Ton, also wurde abgebrochen: Prüfen Sie, ob es angeschlossen ist, und versuchen Sie es erneut.</translation>
    </message>
    <message>
      <source>The mode must be one of {1}, not {2}.</source>
      <translation>Der Modus muss einer von {1} sein, nicht {2}.</translation>
    </message>
    <message>
      <source>The mode {1} has not been prepared.</source>
      <translation>Der Modus {1} wurde nicht vorbereitet.</translation>
    </message>
    <message>
      <source>The model hears itself through the microphone: use headphones, or turn echo cancelling on in Settings.</source>
      <translation>Das Modell hört sich selbst durch das Mikrofon: Benutzen Sie Kopfhörer, oder schalten Sie die Echounterdrückung in den Einstellungen ein.</translation>
    </message>
    <message>
      <source>The model keeps saying the same: a new talk gets it out of the loop.</source>
      <translation>Das Modell sagt immer dasselbe: Ein neues Gespräch holt es aus der Schleife.</translation>
    </message>
    <message>
      <source>The model still hears itself through the microphone: turn the loudspeaker down, move the microphone away from it, or use headphones.</source>
      <translation>Das Modell hört sich noch immer selbst durch das Mikrofon: Stellen Sie den Lautsprecher leiser, rücken Sie das Mikrofon von ihm weg, oder benutzen Sie Kopfhörer.</translation>
    </message>
    <message>
      <source>The model waits for you to speak first.</source>
      <translation>Das Modell wartet, bis Sie zuerst sprechen.</translation>
    </message>
    <message>
      <source>The model's config.json has "{1}": {2}, which is no file name.</source>
      <translation>Die config.json des Modells hat „{1}“: {2}; das ist kein Dateiname.</translation>
    </message>
    <message>
      <source>The model's config.json is not a JSON object: choose another model or fetch it again.</source>
      <translation>Die config.json des Modells ist kein JSON-Objekt: Wählen Sie ein anderes Modell, oder holen Sie es neu.</translation>
    </message>
    <message>
      <source>The model's config.json is not valid JSON: choose another model or fetch it again.</source>
      <translation>Die config.json des Modells ist kein gültiges JSON: Wählen Sie ein anderes Modell, oder holen Sie es neu.</translation>
    </message>
    <message>
      <source>The model's numbers fall apart as soon as a talk begins: load the model again, or choose another precision.</source>
      <translation>Die Zahlen des Modells zerfallen, sobald ein Gespräch beginnt: Laden Sie das Modell neu, oder wählen Sie eine andere Genauigkeit.</translation>
    </message>
    <message>
      <source>The model's numbers fall apart in its first frames, so that it could only be silent: its files are damaged or do not belong together, or the precision does not suit it. Fetch the model again, or choose another precision.</source>
      <translation>Die Zahlen des Modells zerfallen in seinen ersten Frames, sodass es nur schweigen könnte: Seine Dateien sind beschädigt oder gehören nicht zusammen, oder die Genauigkeit passt nicht zu ihm. Holen Sie das Modell neu, oder wählen Sie eine andere Genauigkeit.</translation>
    </message>
    <message>
      <source>The model's numbers fell apart, which sounds like a roar or never ends in silence, so the talk was begun anew: the model has forgotten it. If this comes again, load the model again or choose another precision.</source>
      <translation>Die Zahlen des Modells sind zerfallen, was wie ein Dröhnen klingt oder in endloser Stille endet; daher wurde das Gespräch neu begonnen: Das Modell hat es vergessen. Kommt das wieder, laden Sie das Modell neu, oder wählen Sie eine andere Genauigkeit.</translation>
    </message>
    <message>
      <source>The name has {1} characters; give it at most {2}.</source>
      <translation>Der Name hat {1} Zeichen; höchstens {2} sind erlaubt.</translation>
    </message>
    <message>
      <source>The name holds a sign that cannot be seen; type it anew.</source>
      <translation>Der Name enthält ein unsichtbares Zeichen; tippen Sie ihn neu.</translation>
    </message>
    <message>
      <source>The package {1} is not installed.</source>
      <translation>Das Paket {1} ist nicht installiert.</translation>
    </message>
    <message>
      <source>The packaged program carries no C++ compiler; an installation with pip can use yours.</source>
      <translation>Das fertige Programm enthält keinen C++-Compiler; eine Installation mit pip kann Ihren benutzen.</translation>
    </message>
    <message>
      <source>The packaged program carries no compiler for GPU kernels; an installation with pip does.</source>
      <translation>Das fertige Programm enthält keinen Compiler für GPU-Kernel; eine Installation mit pip schon.</translation>
    </message>
    <message>
      <source>The persona {1} comes with the program and stays.</source>
      <translation>Die Persona {1} gehört zum Programm und bleibt.</translation>
    </message>
    <message>
      <source>The personas in {1} cannot be read: that is not a file.</source>
      <translation>Die Personas in {1} lassen sich nicht lesen: Das ist keine Datei.</translation>
    </message>
    <message>
      <source>The personas in {1} cannot be read: the file is too large.</source>
      <translation>Die Personas in {1} lassen sich nicht lesen: Die Datei ist zu groß.</translation>
    </message>
    <message>
      <source>The personas in {1} cannot be read; the file is not one of Parley's.</source>
      <translation>Die Personas in {1} lassen sich nicht lesen; die Datei ist keine von Parley.</translation>
    </message>
    <message>
      <source>The precision must be auto, {1} or {2}, not {3}.</source>
      <translation>Die Genauigkeit muss auto, {1} oder {2} sein, nicht {3}.</translation>
    </message>
    <message>
      <source>The program's own config.yaml lacks {1}: install Parley again.</source>
      <translation>Der config.yaml des Programms fehlt {1}: Installieren Sie Parley neu.</translation>
    </message>
    <message>
      <source>The recording is silent; a voice needs some seconds of clear speech.</source>
      <translation>Die Aufnahme ist still; eine Stimme braucht einige Sekunden deutlicher Sprache.</translation>
    </message>
    <message>
      <source>The recording is {1} s long; a voice needs at least {2} s of speech.</source>
      <translation>Die Aufnahme ist {1} s lang; eine Stimme braucht mindestens {2} s Sprache.</translation>
    </message>
    <message>
      <source>The recording is {1} s long; choose at most {2} s, ten are enough: all of it goes into the model's memory.</source>
      <translation>Die Aufnahme ist {1} s lang; wählen Sie höchstens {2} s, zehn genügen: Alles davon belegt das Gedächtnis des Modells.</translation>
    </message>
    <message>
      <source>The recording stopped, because {1}. The talk goes on without it.{2}</source>
      <translation>Die Aufnahme hat aufgehört: {1}. Das Gespräch geht ohne sie weiter.{2}</translation>
    </message>
    <message>
      <source>The seed must be a whole number from 0 to 2^63 - 1, not {1}.</source>
      <translation>Der Startwert muss eine ganze Zahl von 0 bis 2^63 - 1 sein, nicht {1}.</translation>
    </message>
    <message>
      <source>The seed must be a whole number from 0 to {1}, not {2}.</source>
      <translation>Der Startwert muss eine ganze Zahl von 0 bis {1} sein, nicht {2}.</translation>
    </message>
    <message>
      <source>The seed must be a whole number, not {1}.</source>
      <translation>Der Startwert muss eine ganze Zahl sein, nicht {1}.</translation>
    </message>
    <message>
      <source>The settings could not be saved in {1}: {2}.</source>
      <translation>Die Einstellungen ließen sich nicht in {1} speichern: {2}.</translation>
    </message>
    <message>
      <source>The settings file {1} cannot be read: {2}.</source>
      <translation>Die Einstellungsdatei {1} lässt sich nicht lesen: {2}.</translation>
    </message>
    <message>
      <source>The settings were not saved, because {1} could not first be copied to {2}: {3}.</source>
      <translation>Die Einstellungen wurden nicht gespeichert, weil sich {1} nicht erst nach {2} kopieren ließ: {3}.</translation>
    </message>
    <message>
      <source>The settings were not saved, because {1} is not a file: move it away.</source>
      <translation>Die Einstellungen wurden nicht gespeichert, weil {1} keine Datei ist: Verschieben Sie es.</translation>
    </message>
    <message>
      <source>The sound stopped because of an error inside Parley: look for devices again to go on.</source>
      <translation>Der Ton hielt wegen eines Fehlers in Parley an: Suchen Sie die Geräte neu, damit es weitergeht.</translation>
    </message>
    <message>
      <source>The sound system did not answer within {1} s while {2}: {3}.</source>
      <translation>Das Tonsystem hat {1} s lang nicht geantwortet, während {2}: {3}.</translation>
    </message>
    <message>
      <source>The sound system did not start ({1}): restart its sound server or the computer, then try again.</source>
      <translation>Das Tonsystem ist nicht angelaufen ({1}): Starten Sie seinen Tonserver oder den Rechner neu, und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
      <source>The sound system still hangs ({1}): {2}.</source>
      <translation>Das Tonsystem hängt noch, seit {1}: {2}.</translation>
    </message>
    <message>
      <source>The speech recogniser could not be started ({1}).</source>
      <translation>Die Spracherkennung ließ sich nicht starten ({1}).</translation>
    </message>
    <message>
      <source>The speech recogniser has no model yet: {1} brings one.</source>
      <translation>Die Spracherkennung hat noch kein Modell: {1} bringt eines.</translation>
    </message>
    <message>
      <source>The speech recogniser stopped ({1}). The next talk starts it again.</source>
      <translation>Die Spracherkennung ist stehen geblieben ({1}). Das nächste Gespräch startet sie neu.</translation>
    </message>
    <message>
      <source>The stage “{1}” could not be built: {2}.</source>
      <translation>Die Stufe „{1}“ ließ sich nicht bauen: {2}.</translation>
    </message>
    <message>
      <source>The talk is longer than the {1} that the model remembers: the early conversation is being forgotten.</source>
      <translation>Das Gespräch ist länger als die {1}, an die sich das Modell erinnert: Sein Anfang wird vergessen.</translation>
    </message>
    <message>
      <source>The text has {1} characters; at most {2} can be kept.</source>
      <translation>Der Text hat {1} Zeichen; höchstens {2} lassen sich speichern.</translation>
    </message>
    <message>
      <source>The token could not be kept in Hugging Face's own file ({1}).</source>
      <translation>Das Token ließ sich nicht in der Datei von Hugging Face speichern ({1}).</translation>
    </message>
    <message>
      <source>The token could not be removed ({1}).</source>
      <translation>Das Token ließ sich nicht entfernen ({1}).</translation>
    </message>
    <message>
      <source>The tokenizer gave a token that the model does not know: it belongs to another model.</source>
      <translation>Der Tokenizer gab ein Token, das das Modell nicht kennt: Er gehört zu einem anderen Modell.</translation>
    </message>
    <message>
      <source>The voice file {1} is missing: choose another voice.</source>
      <translation>Die Stimmdatei {1} fehlt: Wählen Sie eine andere Stimme.</translation>
    </message>
    <message>
      <source>The voice file {1} may not be read: {2}.</source>
      <translation>Die Stimmdatei {1} darf nicht gelesen werden: {2}.</translation>
    </message>
    <message>
      <source>The voice {1} is silent: choose a recording of speech.</source>
      <translation>Die Stimme {1} ist still: Wählen Sie eine Aufnahme mit Sprache.</translation>
    </message>
    <message>
      <source>The voice {1} is {2} s long; give it at least {3} s of speech.</source>
      <translation>Die Stimme {1} ist {2} s lang; sie braucht mindestens {3} s Sprache.</translation>
    </message>
    <message>
      <source>The voices of {1} could not be unpacked ({2}).</source>
      <translation>Die Stimmen von {1} ließen sich nicht entpacken ({2}).</translation>
    </message>
    <message>
      <source>The voices of {1} could not be unpacked to {2} ({3}).</source>
      <translation>Die Stimmen von {1} ließen sich nicht nach {2} entpacken ({3}).</translation>
    </message>
    <message>
      <source>The weight</source>
      <translation>Das Gewicht</translation>
    </message>
    <message>
      <source>The window must be one of {1}, not {2}.</source>
      <translation>Das Fenster muss eines von {1} sein, nicht {2}.</translation>
    </message>
    <message>
      <source>The {1} "{2}" has stalled, no sound moves: if it does not come back within seconds it is opened anew; or choose another in Settings.</source>
      <translation>{1} „{2}“ stockt, es fließt kein Ton: Kommt er nicht in wenigen Sekunden zurück, wird neu geöffnet; oder wählen Sie in den Einstellungen ein anderes Gerät.</translation>
    </message>
    <message>
      <source>The {1} "{2}" is not connected, so "{3}" is used: plug it in and look for devices again, or choose another.</source>
      <translation>{1} „{2}“ ist nicht angeschlossen, daher wird „{3}“ benutzt: Schließen Sie es an, und suchen Sie die Geräte neu, oder wählen Sie ein anderes.</translation>
    </message>
    <message>
      <source>The {1} "{2}" opened but did not start, because {3}: {4}.</source>
      <translation>{1} „{2}“ ließ sich öffnen, lief aber nicht an, denn {3}: {4}.</translation>
    </message>
    <message>
      <source>The {1} "{2}" {3}, so the talk waits: plug it in again and the talk goes on by itself, or choose another in Settings.</source>
      <translation>{1} „{2}“ {3}, daher wartet das Gespräch: Schließen Sie es wieder an, dann geht es von selbst weiter, oder wählen Sie in den Einstellungen ein anderes Gerät.</translation>
    </message>
    <message>
      <source>The {1} "{2}" {3}: {4}.</source>
      <translation>{1} „{2}“ {3}: {4}.</translation>
    </message>
    <message>
      <source>The {1} has compute capability {2}.{3} (sm_{4}), but torch {5} was built for cards up to sm_{6} and cannot run on it: install a newer build, for example: {7}</source>
      <translation>{1} hat die Compute Capability {2}.{3} (sm_{4}), aber torch {5} wurde für Karten bis sm_{6} gebaut und läuft nicht darauf: Installieren Sie eine neuere Fassung, zum Beispiel: {7}</translation>
    </message>
    <message>
      <source>The {1} has compute capability {2}.{3} (sm_{4}), which torch {5} does not support (it was built for {6}): install an older torch that does, or use the device cpu.</source>
      <translation>{1} hat die Compute Capability {2}.{3} (sm_{4}), die torch {5} nicht unterstützt (es wurde für {6} gebaut): Installieren Sie ein älteres torch, das es tut, oder benutzen Sie das Gerät cpu.</translation>
    </message>
    <message>
      <source>The {1} mode brings nothing over {2} on this computer: a frame takes {3} ms, against {4} ms.</source>
      <translation>Der Modus {1} bringt auf diesem Rechner nichts gegenüber {2}: Ein Frame dauert {3} ms statt {4} ms.</translation>
    </message>
    <message>
      <source>The {1} mode cannot be used: {2}.</source>
      <translation>Der Modus {1} ist nicht zu gebrauchen: {2}.</translation>
    </message>
    <message>
      <source>The {1} mode could not go on ({2}); the {3} mode is used instead.</source>
      <translation>Der Modus {1} konnte nicht weiterlaufen ({2}); stattdessen wird der Modus {3} benutzt.</translation>
    </message>
    <message>
      <source>The {1} must be a number of sensible size, not {2}.</source>
      <translation>{1}: Gebraucht wird eine Zahl vernünftiger Größe, nicht {2}.</translation>
    </message>
    <message>
      <source>The {1} must be a number, not {2}.</source>
      <translation>{1}: Gebraucht wird eine Zahl, nicht {2}.</translation>
    </message>
    <message>
      <source>The {1} must be a whole number from 1 to {2}, not {3}.</source>
      <translation>{1}: Gebraucht wird eine ganze Zahl von 1 bis {2}, nicht {3}.</translation>
    </message>
    <message>
      <source>The {1} must lie between 0 (always the likeliest) and 10, not {2}.</source>
      <translation>{1}: Der Wert muss zwischen 0 (immer das Wahrscheinlichste) und 10 liegen, nicht {2}.</translation>
    </message>
    <message>
      <source>There are {1} personas already; delete one first.</source>
      <translation>Es gibt schon {1} Personas; löschen Sie zuerst eine.</translation>
    </message>
    <message>
      <source>There is already one called {1}; choose another name.</source>
      <translation>{1} gibt es schon; wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
      <source>There is no converted model {1}.</source>
      <translation>Es gibt kein umgerechnetes Modell {1}.</translation>
    </message>
    <message>
      <source>There is no downloaded model {1} that could be deleted.</source>
      <translation>Es gibt kein heruntergeladenes Modell {1}, das sich löschen ließe.</translation>
    </message>
    <message>
      <source>There is no folder {1} to write {2} in.</source>
      <translation>Es gibt keinen Ordner {1}, um {2} darin zu schreiben.</translation>
    </message>
    <message>
      <source>There is no model folder {1}.</source>
      <translation>Es gibt keinen Modellordner {1}.</translation>
    </message>
    <message>
      <source>There is no model folder {1}; give a folder, a Hugging Face id such as kyutai/moshiko-pytorch-bf16, or mini for the bundled model.</source>
      <translation>Es gibt keinen Modellordner {1}; geben Sie einen Ordner an, eine Hugging-Face-Kennung wie kyutai/moshiko-pytorch-bf16, oder mini für das mitgelieferte Modell.</translation>
    </message>
    <message>
      <source>There is no model {1} on Hugging Face, or not this file of it: check the name.</source>
      <translation>Bei Hugging Face gibt es kein Modell {1}, oder diese Datei davon nicht: Prüfen Sie den Namen.</translation>
    </message>
    <message>
      <source>There is no persona {1}.</source>
      <translation>Es gibt keine Persona {1}.</translation>
    </message>
    <message>
      <source>There is no sound file {1}.</source>
      <translation>Es gibt keine Tondatei {1}.</translation>
    </message>
    <message>
      <source>There is no voice {1} of your own.</source>
      <translation>Sie haben keine eigene Stimme {1}.</translation>
    </message>
    <message>
      <source>There is no voice {1}; the voices here are: {2}.</source>
      <translation>Es gibt keine Stimme {1}; hier gibt es: {2}.</translation>
    </message>
    <message>
      <source>There is no {1} device on this computer: use the device cpu, or see parley doctor.</source>
      <translation>Auf diesem Rechner gibt es kein Gerät {1}: Benutzen Sie das Gerät cpu, oder siehe parley doctor.</translation>
    </message>
    <message>
      <source>They are switched off.</source>
      <translation>Sie sind abgeschaltet.</translation>
    </message>
    <message>
      <source>This account has no home folder, so there is no place for Parley's settings and logs: set the environment variable HOME to a folder of yours, with its whole path.</source>
      <translation>Dieses Konto hat keinen persönlichen Ordner, also ist kein Platz für Parleys Einstellungen und Protokolle: Setzen Sie die Umgebungsvariable HOME auf einen Ordner von Ihnen, mit vollem Pfad.</translation>
    </message>
    <message>
      <source>This computer is too busy to write down all that you say; some of it is left out.</source>
      <translation>Dieser Rechner ist zu beschäftigt, um alles mitzuschreiben, was Sie sagen; manches fehlt.</translation>
    </message>
    <message>
      <source>This model has no tokenizer file, so a persona text cannot be used with it.</source>
      <translation>Dieses Modell hat keine Tokenizer-Datei, daher ist ein Persona-Text mit ihm nicht möglich.</translation>
    </message>
    <message>
      <source>This model is here already.</source>
      <translation>Dieses Modell ist schon hier.</translation>
    </message>
    <message>
      <source>This model needs {1} of memory in {2}, but {3} has {4} free of {5}. {6}</source>
      <translation>Dieses Modell braucht in {2} {1} Speicher, aber von {5} ({3}) sind {4} frei. {6}</translation>
    </message>
    <message>
      <source>This model needs {1} of memory in {2}, but {3} has {4} in all. {5}</source>
      <translation>Dieses Modell braucht in {2} {1} Speicher, aber insgesamt sind es nur {4} ({3}). {5}</translation>
    </message>
    <message>
      <source>This model's file keeps its weights in 8 bits already, and {1} would round them once more, so it is not offered: choose auto, {2}, bfloat16 or float32.</source>
      <translation>Die Datei dieses Modells hält die Gewichte schon in 8 Bit, und {1} würde sie noch einmal runden; deshalb wird es nicht angeboten: Wählen Sie auto, {2}, bfloat16 oder float32.</translation>
    </message>
    <message>
      <source>Voice and persona use {1} of the {2} s that the model remembers ({3} frames of voice, {4} tokens of text): shorten them.</source>
      <translation>Stimme und Persona belegen {1} von den {2} s, an die sich das Modell erinnert ({3} Frames Stimme, {4} Token Text): Kürzen Sie sie.</translation>
    </message>
    <message>
      <source>Voice and persona use {1} of the {2} that the model remembers; a shorter text leaves more for the talk.</source>
      <translation>Stimme und Persona belegen {1} von {2}, an die sich das Modell erinnert; ein kürzerer Text lässt mehr für das Gespräch.</translation>
    </message>
    <message>
      <source>What answers in Hugging Face's place for {1} is something else, such as a network's login page: open any page in a browser, sign in there, and start again, {2}.</source>
      <translation>An Hugging Faces Stelle antwortet für {1} etwas anderes, etwa die Anmeldeseite eines Netzes: Öffnen Sie eine beliebige Seite im Browser, melden Sie sich dort an, und beginnen Sie noch einmal, {2}.</translation>
    </message>
    <message>
      <source>What you say is not written down, because no speech recogniser is installed: {1} adds one.</source>
      <translation>Was Sie sagen, wird nicht mitgeschrieben, weil keine Spracherkennung installiert ist: {1} bringt eine.</translation>
    </message>
    <message>
      <source>What you say is not written down, because of an error ({1}).</source>
      <translation>Was Sie sagen, wird wegen eines Fehlers nicht mitgeschrieben ({1}).</translation>
    </message>
    <message>
      <source>What you say is not written down: the packaged program comes without a speech recogniser.</source>
      <translation>Was Sie sagen, wird nicht mitgeschrieben: Das fertig gepackte Programm hat keine Spracherkennung.</translation>
    </message>
    <message>
      <source>Windows keeps the name {1} for itself; choose another one.</source>
      <translation>Windows behält den Namen {1} für sich; wählen Sie einen anderen.</translation>
    </message>
    <message>
      <source>With its memory of the talk in 8 bits this model says the same as before in only {1} % of its tokens (at least {2} % are needed), so that is not offered: set model.kv to full.</source>
      <translation>Mit seinem Gedächtnis des Gesprächs in 8 Bit sagt dieses Modell nur bei {1} % seiner Tokens dasselbe wie zuvor (mindestens {2} % sind nötig), daher wird das nicht angeboten: Stellen Sie model.kv auf full.</translation>
    </message>
    <message>
      <source>You are talking and the model does not hear you: hold the talk key while you speak.</source>
      <translation>Sie sprechen, und das Modell hört Sie nicht: Halten Sie beim Sprechen die Sprechtaste.</translation>
    </message>
    <message>
      <source>You are talking while the microphone is muted: unmute it to be heard.</source>
      <translation>Sie sprechen, während das Mikrofon stumm ist: Heben Sie die Stummschaltung auf, um gehört zu werden.</translation>
    </message>
    <message>
      <source>Your Hugging Face account may not download {1}: accept its licence at {2} and try again.</source>
      <translation>Ihr Konto bei Hugging Face darf {1} nicht herunterladen: Nehmen Sie die Lizenz auf {2} an, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>a ":" stands where no setting can begin; check the spaces at the line's start, or put the text in quotes.</source>
      <translation>Ein „:“ steht, wo keine Einstellung beginnen kann; prüfen Sie die Leerzeichen am Zeilenanfang, oder setzen Sie den Text in Anführungszeichen.</translation>
    </message>
    <message>
      <source>a Hugging Face transformers file: take Moshi's own Mimi file</source>
      <translation>eine Datei für Hugging Face transformers: nehmen Sie Moshis eigene Mimi-Datei</translation>
    </message>
    <message>
      <source>a Hugging Face transformers file: take Moshi's own version of the model</source>
      <translation>eine Datei für Hugging Face transformers: nehmen Sie Moshis eigene Fassung des Modells</translation>
    </message>
    <message>
      <source>a LoRA adapter, not a whole model</source>
      <translation>ein LoRA-Adapter, kein ganzes Modell</translation>
    </message>
    <message>
      <source>a Mimi codec, not a language model</source>
      <translation>ein Mimi-Codec, kein Sprachmodell</translation>
    </message>
    <message>
      <source>a bitsandbytes 8-bit file: take the bf16 version of the model</source>
      <translation>eine 8-Bit-Datei von bitsandbytes: nehmen Sie die bf16-Fassung des Modells</translation>
    </message>
    <message>
      <source>a conditioned model, such as a translator or a TTS, which this program cannot run</source>
      <translation>ein bedingtes Modell, etwa ein Übersetzer oder eine Sprachausgabe, das dieses Programm nicht ausführen kann</translation>
    </message>
    <message>
      <source>a file for MLX or the Rust program: take the PyTorch version of the codec</source>
      <translation>eine Datei für MLX oder das Rust-Programm: nehmen Sie die PyTorch-Fassung des Codecs</translation>
    </message>
    <message>
      <source>a file for MLX: take the PyTorch version of the model</source>
      <translation>eine Datei für MLX: nehmen Sie die PyTorch-Fassung des Modells</translation>
    </message>
    <message>
      <source>a file for the Rust program: take the PyTorch version of the model</source>
      <translation>eine Datei für das Rust-Programm: nehmen Sie die PyTorch-Fassung des Modells</translation>
    </message>
    <message>
      <source>a frame</source>
      <translation>einem Frame</translation>
    </message>
    <message>
      <source>a huge number</source>
      <translation>eine riesige Zahl</translation>
    </message>
    <message>
      <source>a language model, not a codec</source>
      <translation>ein Sprachmodell, kein Codec</translation>
    </message>
    <message>
      <source>a lost sound device was being closed</source>
      <translation>ein verlorenes Tongerät geschlossen wurde</translation>
    </message>
    <message>
      <source>a lost sound device was being looked for</source>
      <translation>ein verlorenes Tongerät gesucht wurde</translation>
    </message>
    <message>
      <source>a model with further heads, which this program cannot run</source>
      <translation>ein Modell mit weiteren Köpfen, das dieses Programm nicht ausführen kann</translation>
    </message>
    <message>
      <source>a new one for each talk</source>
      <translation>für jedes Gespräch ein neuer</translation>
    </message>
    <message>
      <source>a number</source>
      <translation>eine Zahl</translation>
    </message>
    <message>
      <source>a number from {1} to {2}</source>
      <translation>eine Zahl von {1} bis {2}</translation>
    </message>
    <message>
      <source>a package of Parley that was built for NVIDIA cards</source>
      <translation>ein Paket von Parley, das für NVIDIA-Karten gebaut ist</translation>
    </message>
    <message>
      <source>a quantised MLX file: take the PyTorch bf16 version of the model</source>
      <translation>eine quantisierte MLX-Datei: nehmen Sie die bf16-Fassung des Modells für PyTorch</translation>
    </message>
    <message>
      <source>a report of it is in {1}</source>
      <translation>ein Bericht darüber liegt in {1}</translation>
    </message>
    <message>
      <source>a setting without ":" and a value.</source>
      <translation>Eine Einstellung ohne „:“ und einen Wert.</translation>
    </message>
    <message>
      <source>a tab stands where YAML needs spaces.</source>
      <translation>Ein Tabulator steht, wo YAML Leerzeichen braucht.</translation>
    </message>
    <message>
      <source>a whole number</source>
      <translation>eine ganze Zahl</translation>
    </message>
    <message>
      <source>a whole number from {1} to {2}</source>
      <translation>eine ganze Zahl von {1} bis {2}</translation>
    </message>
    <message>
      <source>accepts none of the usual sample rates</source>
      <translation>nimmt keine der üblichen Abtastraten an</translation>
    </message>
    <message>
      <source>and it goes on where it stopped</source>
      <translation>und es geht dort weiter, wo es endete</translation>
    </message>
    <message>
      <source>another sound device was being opened</source>
      <translation>ein anderes Tongerät geöffnet wurde</translation>
    </message>
    <message>
      <source>auto, cpu, cuda, or cuda:N for one of several cards</source>
      <translation>auto, cpu, cuda oder cuda:N für eine von mehreren Karten</translation>
    </message>
    <message>
      <source>belongs to a host API that does not work</source>
      <translation>gehört zu einer Host-API, die nicht funktioniert</translation>
    </message>
    <message>
      <source>belongs to a host API that is not there</source>
      <translation>gehört zu einer Host-API, die es hier nicht gibt</translation>
    </message>
    <message>
      <source>building the mode</source>
      <translation>dem Bau des Modus</translation>
    </message>
    <message>
      <source>check that it is plugged in and that the system's privacy settings let Parley use it</source>
      <translation>Prüfen Sie, ob es angeschlossen ist und ob die Datenschutzeinstellungen des Systems Parley erlauben, es zu benutzen</translation>
    </message>
    <message>
      <source>check that it is plugged in and that the system's sound server runs, or choose another device</source>
      <translation>Prüfen Sie, ob es eingesteckt ist und der Tonserver des Systems läuft, oder wählen Sie ein anderes Gerät</translation>
    </message>
    <message>
      <source>choose another device or host API</source>
      <translation>Wählen Sie ein anderes Gerät oder eine andere Host-API</translation>
    </message>
    <message>
      <source>choose another device or try again</source>
      <translation>Wählen Sie ein anderes Gerät, oder versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>choose it again in Settings</source>
      <translation>Wählen Sie es in den Einstellungen neu</translation>
    </message>
    <message>
      <source>close other programs and try again</source>
      <translation>Schließen Sie andere Programme, und versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>close other programs that use the GPU, or choose a smaller model, a smaller precision or the CPU</source>
      <translation>Schließen Sie andere Programme, die die GPU benutzen, oder wählen Sie ein kleineres Modell, eine kleinere Genauigkeit oder die CPU</translation>
    </message>
    <message>
      <source>close other programs, or choose a smaller model or precision</source>
      <translation>Schließen Sie andere Programme, oder wählen Sie ein kleineres Modell oder eine kleinere Genauigkeit</translation>
    </message>
    <message>
      <source>close that program or choose another device</source>
      <translation>Schließen Sie jenes Programm, oder wählen Sie ein anderes Gerät</translation>
    </message>
    <message>
      <source>config.json has "kv_repeat" other than 1, which is not supported.</source>
      <translation>„kv_repeat“ in config.json ist nicht 1; das wird nicht unterstützt.</translation>
    </message>
    <message>
      <source>config.json has "limits" that is not a sentence of at most {1} characters.</source>
      <translation>„limits“ in config.json ist kein Satz von höchstens {1} Zeichen.</translation>
    </message>
    <message>
      <source>config.json has "lm_gen_config" that is not a table of values.</source>
      <translation>„lm_gen_config“ in config.json ist keine Tabelle von Werten.</translation>
    </message>
    <message>
      <source>config.json has "trained" that is neither true nor false.</source>
      <translation>„trained“ in config.json ist weder true noch false.</translation>
    </message>
    <message>
      <source>config.json has "{1}" that is not a list of {2} codes.</source>
      <translation>„{1}“ in config.json ist keine Liste von {2} Codes.</translation>
    </message>
    <message>
      <source>config.json has "{1}" with a code outside 0..{2}.</source>
      <translation>„{1}“ in config.json hat einen Code außerhalb von 0..{2}.</translation>
    </message>
    <message>
      <source>config.json has "{1}", a part that this program does not have: another model is needed.</source>
      <translation>config.json hat „{1}“, einen Teil, den dieses Programm nicht hat: Es braucht ein anderes Modell.</translation>
    </message>
    <message>
      <source>config.json has "{1}": {2}, but only {3} is supported.</source>
      <translation>config.json hat „{1}“: {2}; möglich ist nur {3}.</translation>
    </message>
    <message>
      <source>config.json has "{1}": {2}, where the name of a file in its folder is needed.</source>
      <translation>config.json hat „{1}“: {2}; gebraucht wird der Name einer Datei in ihrem Ordner.</translation>
    </message>
    <message>
      <source>could not be opened</source>
      <translation>ließ sich nicht öffnen</translation>
    </message>
    <message>
      <source>could not be opened for want of memory</source>
      <translation>ließ sich aus Speichermangel nicht öffnen</translation>
    </message>
    <message>
      <source>could not be opened{1}</source>
      <translation>ließ sich nicht öffnen{1}</translation>
    </message>
    <message>
      <source>did not answer in time</source>
      <translation>hat nicht rechtzeitig geantwortet</translation>
    </message>
    <message>
      <source>does not offer the channels that it lists</source>
      <translation>bietet nicht die Kanäle, die es nennt</translation>
    </message>
    <message>
      <source>does not take 32-bit floating point samples</source>
      <translation>nimmt keine 32-Bit-Gleitkommawerte an</translation>
    </message>
    <message>
      <source>exit code {1}</source>
      <translation>Endestatus {1}</translation>
    </message>
    <message>
      <source>fetch the model again, or check that its config.json belongs to it</source>
      <translation>holen Sie das Modell neu, oder prüfen Sie, ob seine config.json dazugehört</translation>
    </message>
    <message>
      <source>has {1} characters, where {2} is needed.</source>
      <translation>hat {1} Zeichen; gebraucht wird {2}.</translation>
    </message>
    <message>
      <source>holds a control character or half of a character, which no text needs.</source>
      <translation>enthält ein Steuerzeichen oder ein halbes Zeichen, das kein Text braucht.</translation>
    </message>
    <message>
      <source>install the Python package sounddevice again, then try again</source>
      <translation>Installieren Sie das Python-Paket sounddevice neu, und versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>install the package libportaudio2 (Debian, Ubuntu) or portaudio (Fedora, Arch), then try again</source>
      <translation>Installieren Sie das Paket libportaudio2 (Debian, Ubuntu) oder portaudio (Fedora, Arch), und versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>is empty ({1}), where {2} is needed: write "" for none.</source>
      <translation>ist leer ({1}); gebraucht wird {2}: Schreiben Sie "" für nichts.</translation>
    </message>
    <message>
      <source>is gone</source>
      <translation>ist weg</translation>
    </message>
    <message>
      <source>is in use by another program</source>
      <translation>wird von einem anderen Programm benutzt</translation>
    </message>
    <message>
      <source>is not there any more, or accepts no usual sample rate</source>
      <translation>ist nicht mehr da oder nimmt keine übliche Abtastrate an</translation>
    </message>
    <message>
      <source>is the quoted text {1}, where {2} is needed.</source>
      <translation>ist der Text {1} in Anführungszeichen; gebraucht wird {2}.</translation>
    </message>
    <message>
      <source>is {1}, where {2} is needed.</source>
      <translation>ist {1}; gebraucht wird {2}.</translation>
    </message>
    <message>
      <source>is {1}, where {2} is needed.{3}</source>
      <translation>ist {1}; gebraucht wird {2}.{3}</translation>
    </message>
    <message>
      <source>is {1}: write the decimal part after a point, not a comma.</source>
      <translation>ist {1}: Schreiben Sie Dezimalstellen nach einem Punkt, nicht nach einem Komma.</translation>
    </message>
    <message>
      <source>it could not be prepared</source>
      <translation>Er ließ sich nicht vorbereiten</translation>
    </message>
    <message>
      <source>it could not be written: {1}</source>
      <translation>Sie ließ sich nicht schreiben: {1}</translation>
    </message>
    <message>
      <source>it ends too early</source>
      <translation>es endet zu früh</translation>
    </message>
    <message>
      <source>it gave no answer</source>
      <translation>sie gab keine Antwort</translation>
    </message>
    <message>
      <source>it waits for the GPU, or copies from it, in the middle of a frame ({1}).</source>
      <translation>Mitten in einem Frame wird auf die GPU gewartet oder von ihr kopiert ({1}).</translation>
    </message>
    <message>
      <source>it {1}</source>
      <translation>es {1}</translation>
    </message>
    <message>
      <source>its process ended</source>
      <translation>ihr Prozess endete</translation>
    </message>
    <message>
      <source>its report could not be written</source>
      <translation>ein Bericht darüber ließ sich nicht schreiben</translation>
    </message>
    <message>
      <source>language model</source>
      <translation>Sprachmodell</translation>
    </message>
    <message>
      <source>loading the model</source>
      <translation>dem Laden des Modells</translation>
    </message>
    <message>
      <source>loudspeaker</source>
      <translation>Lautsprecher</translation>
    </message>
    <message>
      <source>made the sound system fail inside</source>
      <translation>ließ das Tonsystem scheitern</translation>
    </message>
    <message>
      <source>microphone</source>
      <translation>Mikrofon</translation>
    </message>
    <message>
      <source>missing</source>
      <translation>fehlend</translation>
    </message>
    <message>
      <source>moves no sound</source>
      <translation>bewegt keinen Ton</translation>
    </message>
    <message>
      <source>no file</source>
      <translation>keine Datei</translation>
    </message>
    <message>
      <source>no reason given</source>
      <translation>kein Grund genannt</translation>
    </message>
    <message>
      <source>not of this model</source>
      <translation>nicht von diesem Modell</translation>
    </message>
    <message>
      <source>of a type that cannot be read</source>
      <translation>von unlesbarer Art</translation>
    </message>
    <message>
      <source>of an unexpected error; the log has its details</source>
      <translation>Ein unerwarteter Fehler trat auf; Näheres steht im Protokoll</translation>
    </message>
    <message>
      <source>of another shape</source>
      <translation>von anderer Form</translation>
    </message>
    <message>
      <source>one of {1}</source>
      <translation>eines von {1}</translation>
    </message>
    <message>
      <source>per cent</source>
      <translation>Prozent</translation>
    </message>
    <message>
      <source>plug it in or choose another device</source>
      <translation>Schließen Sie es an, oder wählen Sie ein anderes Gerät</translation>
    </message>
    <message>
      <source>preparing the voice and persona</source>
      <translation>der Vorbereitung von Stimme und Persona</translation>
    </message>
    <message>
      <source>refused the block size as too large</source>
      <translation>wies die Blockgröße als zu groß zurück</translation>
    </message>
    <message>
      <source>refused the block size as too small</source>
      <translation>wies die Blockgröße als zu klein zurück</translation>
    </message>
    <message>
      <source>set it to 48000 Hz in the system's sound settings, or choose another device</source>
      <translation>Stellen Sie es in den Toneinstellungen des Systems auf 48000 Hz, oder wählen Sie ein anderes Gerät</translation>
    </message>
    <message>
      <source>text of {1} to {2} characters</source>
      <translation>Text von {1} bis {2} Zeichen</translation>
    </message>
    <message>
      <source>the GPU</source>
      <translation>GPU</translation>
    </message>
    <message>
      <source>the GPU memory is full. Close other programs that use the GPU, or choose a smaller precision.</source>
      <translation>Der Speicher der GPU ist voll. Schließen Sie andere Programme, die die GPU benutzen, oder wählen Sie eine kleinere Genauigkeit.</translation>
    </message>
    <message>
      <source>the config.json beside it belongs to another model</source>
      <translation>die config.json daneben gehört zu einem anderen Modell</translation>
    </message>
    <message>
      <source>the disk is too slow</source>
      <translation>Die Platte ist zu langsam</translation>
    </message>
    <message>
      <source>the download is incomplete or damaged, so fetch it again</source>
      <translation>Das Herunterladen ist unvollständig oder beschädigt, holen Sie die Datei neu</translation>
    </message>
    <message>
      <source>the engine gave no reason</source>
      <translation>die Engine nannte keinen Grund</translation>
    </message>
    <message>
      <source>the engine was at work</source>
      <translation>die Engine arbeitete</translation>
    </message>
    <message>
      <source>the graphics card</source>
      <translation>Grafikkarte</translation>
    </message>
    <message>
      <source>the microphone and the loudspeaker were being opened</source>
      <translation>Mikrofon und Lautsprecher geöffnet wurden</translation>
    </message>
    <message>
      <source>the model always sees the context it was trained with; a shorter one makes it talk nonsense after a minute.</source>
      <translation>Das Modell sieht immer den Kontext, mit dem es trainiert wurde; mit einem kürzeren redet es nach einer Minute Unsinn.</translation>
    </message>
    <message>
      <source>the model was loaded</source>
      <translation>das Modell geladen wurde</translation>
    </message>
    <message>
      <source>the model was made</source>
      <translation>das Modell angelegt wurde</translation>
    </message>
    <message>
      <source>the model's own value</source>
      <translation>der eigene Wert des Modells</translation>
    </message>
    <message>
      <source>the persona was read</source>
      <translation>die Persona gelesen wurde</translation>
    </message>
    <message>
      <source>the sound devices were being listed</source>
      <translation>die Tongeräte aufgelistet wurden</translation>
    </message>
    <message>
      <source>the sound was being stopped</source>
      <translation>der Ton angehalten wurde</translation>
    </message>
    <message>
      <source>the talk went on</source>
      <translation>das Gespräch lief</translation>
    </message>
    <message>
      <source>the talk's memory was set up</source>
      <translation>das Gedächtnis des Gesprächs angelegt wurde</translation>
    </message>
    <message>
      <source>the token</source>
      <translation>das Token</translation>
    </message>
    <message>
      <source>the voice was listened to</source>
      <translation>die Stimme angehört wurde</translation>
    </message>
    <message>
      <source>the {1} mode was prepared</source>
      <translation>der Modus {1} vorbereitet wurde</translation>
    </message>
    <message>
      <source>there is no such mode</source>
      <translation>Diesen Modus gibt es nicht</translation>
    </message>
    <message>
      <source>this computer</source>
      <translation>dieser Rechner</translation>
    </message>
    <message>
      <source>this is not YAML ({1}); check quotes, brackets and the spaces at the start.</source>
      <translation>Das ist kein YAML ({1}); prüfen Sie Anführungszeichen, Klammern und die Leerzeichen am Anfang.</translation>
    </message>
    <message>
      <source>true or false</source>
      <translation>true oder false</translation>
    </message>
    <message>
      <source>try a smaller model or a faster computer</source>
      <translation>versuchen Sie ein kleineres Modell oder einen schnelleren Rechner</translation>
    </message>
    <message>
      <source>try again</source>
      <translation>Versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>try bfloat16 precision</source>
      <translation>versuchen Sie die Genauigkeit bfloat16</translation>
    </message>
    <message>
      <source>try the {1} mode</source>
      <translation>versuchen Sie den Modus {1}</translation>
    </message>
    <message>
      <source>unplug it, plug it in again and try again</source>
      <translation>Ziehen Sie es ab, schließen Sie es wieder an, und versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>unplug the device or choose another, then try again</source>
      <translation>Ziehen Sie das Gerät ab, oder wählen Sie ein anderes, und versuchen Sie es noch einmal</translation>
    </message>
    <message>
      <source>unplug the device, or restart Parley if that does not help</source>
      <translation>Ziehen Sie das Gerät ab, oder starten Sie Parley neu, wenn das nicht hilft</translation>
    </message>
    <message>
      <source>was asked for before the sound system was ready</source>
      <translation>wurde verlangt, bevor das Tonsystem bereit war</translation>
    </message>
    <message>
      <source>was asked for with settings of another host API</source>
      <translation>wurde mit Einstellungen einer anderen Host-API verlangt</translation>
    </message>
    <message>
      <source>was refused by the system</source>
      <translation>wurde vom System verweigert</translation>
    </message>
    <message>
      <source>{1} (null: {2})</source>
      <translation>{1} (null: {2})</translation>
    </message>
    <message>
      <source>{1} At the first change the file as it is now is kept as {2}.</source>
      <translation>{1} Bei der ersten Änderung wird die Datei, wie sie jetzt ist, als {2} aufgehoben.</translation>
    </message>
    <message>
      <source>{1} It was left out.</source>
      <translation>{1} Die Angabe wurde weggelassen.</translation>
    </message>
    <message>
      <source>{1} MB of GPU memory are free and {2} MB are needed</source>
      <translation>{1} MB Speicher der GPU sind frei, gebraucht werden {2} MB</translation>
    </message>
    <message>
      <source>{1} Move it away, then start Parley again.</source>
      <translation>{1} Verschieben Sie sie, und starten Sie Parley neu.</translation>
    </message>
    <message>
      <source>{1} Record it anew, or save what is whole as a file of its own.</source>
      <translation>{1} Nehmen Sie neu auf, oder speichern Sie den heilen Teil als eigene Datei.</translation>
    </message>
    <message>
      <source>{1} The model's own values are used.</source>
      <translation>{1} Die eigenen Werte des Modells werden benutzt.</translation>
    </message>
    <message>
      <source>{1} The program's own settings are in force.</source>
      <translation>{1} Es gelten die Voreinstellungen des Programms.</translation>
    </message>
    <message>
      <source>{1} The talk waits.</source>
      <translation>{1} Das Gespräch wartet.</translation>
    </message>
    <message>
      <source>{1} The {2} mode is used instead.</source>
      <translation>{1} Stattdessen wird der Modus {2} benutzt.</translation>
    </message>
    <message>
      <source>{1} They hold until the program ends.</source>
      <translation>{1} Sie gelten, bis das Programm endet.</translation>
    </message>
    <message>
      <source>{1} cannot be read ({2}).</source>
      <translation>{1} lässt sich nicht lesen ({2}).</translation>
    </message>
    <message>
      <source>{1} cannot be written ({2}).</source>
      <translation>{1} lässt sich nicht schreiben ({2}).</translation>
    </message>
    <message>
      <source>{1} claims {2} samples a second, not within {3} to {4}.</source>
      <translation>{1} gibt {2} Abtastwerte je Sekunde an; möglich sind {3} bis {4}.</translation>
    </message>
    <message>
      <source>{1} could not be deleted ({2}).</source>
      <translation>{1} ließ sich nicht löschen ({2}).</translation>
    </message>
    <message>
      <source>{1} could not be read ({2}).</source>
      <translation>{1} ließ sich nicht lesen ({2}).</translation>
    </message>
    <message>
      <source>{1} could not be read: {2}.</source>
      <translation>{1} ließ sich nicht lesen: {2}.</translation>
    </message>
    <message>
      <source>{1} could not be renamed ({2}).</source>
      <translation>{1} ließ sich nicht umbenennen ({2}).</translation>
    </message>
    <message>
      <source>{1} could not be saved ({2}).</source>
      <translation>{1} ließ sich nicht speichern ({2}).</translation>
    </message>
    <message>
      <source>{1} does not fit its configuration: {2}</source>
      <translation>{1} passt nicht zu seiner Konfiguration: {2}</translation>
    </message>
    <message>
      <source>{1} ended while it was read: {2}.</source>
      <translation>{1} endete beim Lesen: {2}.</translation>
    </message>
    <message>
      <source>{1} ends inside its header ({2} bytes): {3}.</source>
      <translation>{1} endet in seinem Kopf ({2} Byte): {3}.</translation>
    </message>
    <message>
      <source>{1} has "existing_text_padding_id" outside the text vocabulary.</source>
      <translation>„existing_text_padding_id“ liegt außerhalb des Textvokabulars ({1}).</translation>
    </message>
    <message>
      <source>{1} has "{2}": {3}</source>
      <translation>{1} hat „{2}“: {3}</translation>
    </message>
    <message>
      <source>{1} has "{2}": {3}, outside {4}..{5}.</source>
      <translation>{1} hat „{2}“: {3}, außerhalb von {4}..{5}.</translation>
    </message>
    <message>
      <source>{1} has `{2}` of type {3}: not a voice.</source>
      <translation>{1} hat `{2}` von der Art {3}: keine Stimme.</translation>
    </message>
    <message>
      <source>{1} has a cache of shape {2} where {3} is needed.</source>
      <translation>{1} hat einen Cache der Form {2}; gebraucht wird {3}.</translation>
    </message>
    <message>
      <source>{1} has a config.json too large to be a configuration.</source>
      <translation>{1} hat eine config.json, die für eine Konfiguration zu groß ist.</translation>
    </message>
    <message>
      <source>{1} has a damaged header, in which {2} has no fitting scales: {3}.</source>
      <translation>{1} hat einen beschädigten Kopf, in dem zu {2} keine passenden Maßstäbe gehören: {3}.</translation>
    </message>
    <message>
      <source>{1} has a damaged header, in which {2} overlaps another tensor: download it again.</source>
      <translation>{1} hat einen beschädigten Kopf, in dem {2} einen anderen Tensor überlappt: Laden Sie die Datei neu herunter.</translation>
    </message>
    <message>
      <source>{1} has a damaged header: download it again.</source>
      <translation>{1} hat einen beschädigten Kopf: Laden Sie die Datei neu herunter.</translation>
    </message>
    <message>
      <source>{1} has a frame rate of {2} Hz where 12.5 Hz (80 ms) is needed.</source>
      <translation>{1} hat eine Framerate von {2} Hz; gebraucht werden 12.5 Hz (80 ms).</translation>
    </message>
    <message>
      <source>{1} has a ratio outside 2..64.</source>
      <translation>{1} hat ein Verhältnis außerhalb von 2..64.</translation>
    </message>
    <message>
      <source>{1} has been deleted or moved</source>
      <translation>{1} wurde gelöscht oder verschoben</translation>
    </message>
    <message>
      <source>{1} has embeddings of shape {2} where [frames, 1, 1, {3}] is needed: it was made for another model.</source>
      <translation>{1} hat Embeddings der Form {2}; gebraucht wird [frames, 1, 1, {3}]: Die Stimme wurde für ein anderes Modell gemacht.</translation>
    </message>
    <message>
      <source>{1} has no config.json, so its files are taken for the published 7B model: width {2}, {3} layers, {4} codebooks, a context of {5} frames.</source>
      <translation>{1} hat keine config.json, daher gelten die Dateien als das veröffentlichte 7B-Modell: Breite {2}, {3} Schichten, {4} Codebücher, ein Kontext von {5} Frames.</translation>
    </message>
    <message>
      <source>{1} has no {2}, which its config.json names.</source>
      <translation>In {1} fehlt {2}, das die config.json dort nennt.</translation>
    </message>
    <message>
      <source>{1} has no {2}.</source>
      <translation>In {1} fehlt: {2}.</translation>
    </message>
    <message>
      <source>{1} has only {2} of {3} bytes: {4}.</source>
      <translation>{1} hat nur {2} von {3} Byte: {4}.</translation>
    </message>
    <message>
      <source>{1} has {2} bytes that its header does not describe: {3}.</source>
      <translation>{1} hat {2} Byte, die sein Kopf nicht beschreibt: {3}.</translation>
    </message>
    <message>
      <source>{1} has {2} frames, more than the {3} that the model remembers.</source>
      <translation>{1} hat {2} Frames, mehr als die {3}, an die sich das Modell erinnert.</translation>
    </message>
    <message>
      <source>{1} has {2} pieces where the model knows {3}: not its tokenizer.</source>
      <translation>{1} hat {2} Stücke, das Modell kennt {3}: nicht sein Tokenizer.</translation>
    </message>
    <message>
      <source>{1} has {2} {3} where seanet.dimension is {4}; they must agree.</source>
      <translation>{1} hat {2} {3}, seanet.dimension ist aber {4}; beide müssen gleich sein.</translation>
    </message>
    <message>
      <source>{1} has {2} {3}, but only {4} is supported.</source>
      <translation>{1} hat {2} {3}; möglich ist nur {4}.</translation>
    </message>
    <message>
      <source>{1} holds a character that is not text; write it again as plain text.</source>
      <translation>{1} enthält ein Zeichen, das kein Text ist; schreiben Sie es neu als reinen Text.</translation>
    </message>
    <message>
      <source>{1} holds no model for the speech recogniser ({2} is missing): transcript.model must be a Whisper model in the form of faster-whisper.</source>
      <translation>{1} enthält kein Modell für die Spracherkennung ({2} fehlt): transcript.model muss ein Whisper-Modell in der Form von faster-whisper sein.</translation>
    </message>
    <message>
      <source>{1} holds no sound: it has a header and 0 samples.</source>
      <translation>{1} enthält keinen Ton: ein Kopf und 0 Werte.</translation>
    </message>
    <message>
      <source>{1} holds nothing but zeros in {2} of {3} norms ({4}): it is damaged, so fetch the model again.</source>
      <translation>{1} enthält in {2} von {3} Normen nur Nullen ({4}): Die Datei ist beschädigt, holen Sie das Modell also noch einmal.</translation>
    </message>
    <message>
      <source>{1} holds quantised weights of a kind that this version of the program does not know: take the plain model, or convert it again.</source>
      <translation>{1} enthält quantisierte Gewichte einer Art, die diese Fassung des Programms nicht kennt: Nehmen Sie das einfache Modell, oder rechnen Sie es neu um.</translation>
    </message>
    <message>
      <source>{1} holds samples that are not numbers, from {2} s on: record it anew.</source>
      <translation>{1} enthält ab {2} s Abtastwerte, die keine Zahlen sind: Nehmen Sie neu auf.</translation>
    </message>
    <message>
      <source>{1} holds values that are no numbers, in {2} of {3} weights ({4}): it is damaged, so fetch the model again.</source>
      <translation>{1} enthält Werte, die keine Zahlen sind, in {2} von {3} Gewichten ({4}): Die Datei ist beschädigt, holen Sie das Modell neu.</translation>
    </message>
    <message>
      <source>{1} holds values that are no numbers: the model file is damaged, so fetch it again.</source>
      <translation>{1} enthält Werte, die keine Zahlen sind: Die Modelldatei ist beschädigt, holen Sie sie neu.</translation>
    </message>
    <message>
      <source>{1} holds {2} of {3} samples that are not numbers, the first at {4} s: they were taken as silence.</source>
      <translation>{1} enthält unter {3} Abtastwerten {2}, die keine Zahlen sind, den ersten bei {4} s: Sie wurden als Stille genommen.</translation>
    </message>
    <message>
      <source>{1} holds {2} weights: choose the precision {3} or auto, not {4}.</source>
      <translation>{1} enthält {2}-Gewichte: Wählen Sie die Genauigkeit {3} oder auto, nicht {4}.</translation>
    </message>
    <message>
      <source>{1} is a GGUF file; this program needs the model's PyTorch safetensors file.</source>
      <translation>{1} ist eine GGUF-Datei; dieses Programm braucht die safetensors-Datei des Modells für PyTorch.</translation>
    </message>
    <message>
      <source>{1} is a folder; name a file to write.</source>
      <translation>{1} ist ein Ordner; nennen Sie eine Datei.</translation>
    </message>
    <message>
      <source>{1} is a pickled PyTorch file; this program needs the model's safetensors file.</source>
      <translation>{1} ist eine PyTorch-Datei im pickle-Format; dieses Programm braucht die safetensors-Datei des Modells.</translation>
    </message>
    <message>
      <source>{1} is a web page saved under this name: download the file itself again.</source>
      <translation>{1} ist eine Webseite, die unter diesem Namen gespeichert wurde: Laden Sie die Datei selbst neu herunter.</translation>
    </message>
    <message>
      <source>{1} is being downloaded already: wait until that has ended, or cancel it there.</source>
      <translation>{1} wird schon heruntergeladen: Warten Sie, bis das endet, oder brechen Sie es dort ab.</translation>
    </message>
    <message>
      <source>{1} is damaged or cut off: {2} s{3} could be read.</source>
      <translation>{1} ist beschädigt oder abgeschnitten: {2} s{3} waren lesbar.</translation>
    </message>
    <message>
      <source>{1} is damaged or no safetensors file: it claims a header of {2} bytes.</source>
      <translation>{1} ist beschädigt oder keine safetensors-Datei: Sie gibt einen Kopf von {2} Byte an.</translation>
    </message>
    <message>
      <source>{1} is damaged: its cache holds tokens that the model does not know.</source>
      <translation>{1} ist beschädigt: Ihr Cache enthält Token, die das Modell nicht kennt.</translation>
    </message>
    <message>
      <source>{1} is damaged: its embeddings are not all finite numbers.</source>
      <translation>{1} ist beschädigt: Ihre Embeddings sind nicht alle endliche Zahlen.</translation>
    </message>
    <message>
      <source>{1} is empty or nearly so ({2} bytes): {3}.</source>
      <translation>{1} ist leer oder fast leer ({2} Byte): {3}.</translation>
    </message>
    <message>
      <source>{1} is in force instead.</source>
      <translation>{1} gilt stattdessen.</translation>
    </message>
    <message>
      <source>{1} is larger than {2} kB and so is no settings file.</source>
      <translation>{1} ist größer als {2} kB und daher keine Einstellungsdatei.</translation>
    </message>
    <message>
      <source>{1} is longer than {2} minutes; cut it into parts.</source>
      <translation>{1} ist länger als {2} Minuten; teilen Sie die Aufnahme.</translation>
    </message>
    <message>
      <source>{1} is no file, or a link to one that is gone: fetch the model again.</source>
      <translation>{1} ist keine Datei oder ein Verweis auf eine, die nicht mehr da ist: Laden Sie das Modell neu herunter.</translation>
    </message>
    <message>
      <source>{1} is no voice: choose a .pt file or a sound file such as .wav.</source>
      <translation>{1} ist keine Stimme: Wählen Sie eine .pt-Datei oder eine Tondatei wie .wav.</translation>
    </message>
    <message>
      <source>{1} is not a Hugging Face id of the form owner/name.</source>
      <translation>{1} ist keine Hugging-Face-Kennung der Form Eigentümer/Name.</translation>
    </message>
    <message>
      <source>{1} is not a JSON object: fetch it again or mend it.</source>
      <translation>{1} ist kein JSON-Objekt: Holen Sie die Datei neu, oder bessern Sie sie aus.</translation>
    </message>
    <message>
      <source>{1} is not a file, so no settings can be read from it.</source>
      <translation>{1} ist keine Datei, daher lassen sich daraus keine Einstellungen lesen.</translation>
    </message>
    <message>
      <source>{1} is not a file.</source>
      <translation>{1} ist keine Datei.</translation>
    </message>
    <message>
      <source>{1} is not a model that Parley can run: it has no {2}; choose a PyTorch model in Moshi's format.</source>
      <translation>{1} ist kein Modell, das Parley ausführen kann: Es fehlt {2}; wählen Sie ein PyTorch-Modell in Moshis Format.</translation>
    </message>
    <message>
      <source>{1} is not a readable SentencePiece tokenizer; get the model's file again.</source>
      <translation>{1} ist kein lesbarer SentencePiece-Tokenizer; holen Sie die Datei des Modells neu.</translation>
    </message>
    <message>
      <source>{1} is not a safetensors file, or it is damaged: download it again.</source>
      <translation>{1} ist keine safetensors-Datei oder beschädigt: Laden Sie sie neu herunter.</translation>
    </message>
    <message>
      <source>{1} is not a sound archive of voices</source>
      <translation>{1} ist kein Ton-Archiv von Stimmen</translation>
    </message>
    <message>
      <source>{1} is not a voice file, or it is damaged.</source>
      <translation>{1} ist keine Stimmdatei oder beschädigt.</translation>
    </message>
    <message>
      <source>{1} is not a voice: a voice file holds `embeddings` and `cache`.</source>
      <translation>{1} ist keine Stimme: Eine Stimmdatei enthält `embeddings` und `cache`.</translation>
    </message>
    <message>
      <source>{1} is not a voice: its `{2}` is not a plain tensor.</source>
      <translation>{1} ist keine Stimme: `{2}` darin ist kein einfacher Tensor.</translation>
    </message>
    <message>
      <source>{1} is not for 24 kHz mono, the only kind supported.</source>
      <translation>{1} ist nicht für 24 kHz mono, das Einzige, was unterstützt wird.</translation>
    </message>
    <message>
      <source>{1} is not on this computer, and HF_HUB_OFFLINE forbids fetching it: unset it, or copy it here.</source>
      <translation>{1} ist nicht auf diesem Rechner, und HF_HUB_OFFLINE verbietet, es zu holen: Nehmen Sie die Variable weg, oder kopieren Sie das Modell hierher.</translation>
    </message>
    <message>
      <source>{1} is not on this computer.</source>
      <translation>{1} ist nicht auf diesem Rechner.</translation>
    </message>
    <message>
      <source>{1} is not readable as WAV, FLAC or OGG ({2}).</source>
      <translation>{1} ist nicht als WAV, FLAC oder OGG lesbar ({2}).</translation>
    </message>
    <message>
      <source>{1} is not valid JSON ({2}): fetch it again or mend it.</source>
      <translation>{1} ist kein gültiges JSON ({2}): Holen Sie die Datei neu, oder bessern Sie sie aus.</translation>
    </message>
    <message>
      <source>{1} is only a Git LFS pointer to the weights: run `git lfs pull` in its folder.</source>
      <translation>{1} ist nur ein Verweis von Git LFS auf die Gewichte: Führen Sie in diesem Ordner `git lfs pull` aus.</translation>
    </message>
    <message>
      <source>{1} is packed in a way that this version of the program does not know: install a newer one.</source>
      <translation>{1} ist auf eine Weise gepackt, die diese Fassung des Programms nicht kennt: Installieren Sie eine neuere.</translation>
    </message>
    <message>
      <source>{1} is saved as UTF-16; save it as UTF-8.</source>
      <translation>{1} ist als UTF-16 gespeichert; speichern Sie es als UTF-8.</translation>
    </message>
    <message>
      <source>{1} is stored as the model's own numbers and can only be heard in a talk.</source>
      <translation>{1} ist in den Zahlen des Modells gespeichert und nur in einem Gespräch zu hören.</translation>
    </message>
    <message>
      <source>{1} is too large to be a configuration.</source>
      <translation>{1} ist für eine Konfiguration zu groß.</translation>
    </message>
    <message>
      <source>{1} is {2} where {3} is needed</source>
      <translation>{1} ist {2}, gebraucht wird {3}</translation>
    </message>
    <message>
      <source>{1} is {2}, outside the usual {3} to {4} (nearest: {5}): set {6} to true to go further.</source>
      <translation>{1} ist {2}, außerhalb der üblichen {3} bis {4} (am nächsten: {5}): Setzen Sie {6} auf true, um weiter zu gehen.</translation>
    </message>
    <message>
      <source>{1} is {2}, where a device's name is needed.</source>
      <translation>{1} ist {2}; gebraucht wird der Name eines Geräts.</translation>
    </message>
    <message>
      <source>{1} leads out of Parley's folder, so it is not deleted; remove it by hand.</source>
      <translation>{1} führt aus Parleys Ordner heraus und wird daher nicht gelöscht; entfernen Sie es von Hand.</translation>
    </message>
    <message>
      <source>{1} needs {2} GiB of memory, but {3} has {4} GiB free of {5} GiB: {6}.</source>
      <translation>{1} braucht {2} GiB Speicher, aber von {5} GiB sind nur {4} GiB frei ({3}): {6}.</translation>
    </message>
    <message>
      <source>{1} needs {2}, but {3} are free</source>
      <translation>{1} braucht {2}, aber {3} sind frei</translation>
    </message>
    <message>
      <source>{1} per cent</source>
      <translation>{1} Prozent</translation>
    </message>
    <message>
      <source>{1} stopped at {2} of {3} bytes</source>
      <translation>{1} endete bei {2} von {3} Byte</translation>
    </message>
    <message>
      <source>{1} tensor {2}</source>
      <translation>{1} Tensor: {2}</translation>
    </message>
    <message>
      <source>{1} tensors {2}</source>
      <translation>{1} Tensoren: {2}</translation>
    </message>
    <message>
      <source>{1} was refused: it is damaged, or opening it would run a program.</source>
      <translation>{1} wurde abgelehnt: Die Datei ist beschädigt, oder ihr Öffnen würde ein Programm ausführen.</translation>
    </message>
    <message>
      <source>{1} was written but is not there; choose another folder.</source>
      <translation>{1} wurde geschrieben, ist aber nicht da; wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
      <source>{1} was written but is not there; is the disk all right?</source>
      <translation>{1} wurde geschrieben, ist aber nicht da; ist die Platte in Ordnung?</translation>
    </message>
    <message>
      <source>{1} was {2} in {3}, which makes talks loop or fall apart; {4} is in force instead.</source>
      <translation>{1} war {2} in {3}, womit Gespräche kreisen oder zerfallen; stattdessen gilt {4}.</translation>
    </message>
    <message>
      <source>{1} {2} is in force instead.</source>
      <translation>{1} Stattdessen gilt {2}.</translation>
    </message>
    <message>
      <source>{1}, line {2}</source>
      <translation>{1}, Zeile {2}</translation>
    </message>
    <message>
      <source>{1}, line {2}: this is not UTF-8 text; save the file as UTF-8.</source>
      <translation>{1}, Zeile {2}: Das ist kein UTF-8-Text; speichern Sie die Datei als UTF-8.</translation>
    </message>
    <message>
      <source>{1}, or it is damaged: fetch it again.</source>
      <translation>{1}, oder es ist beschädigt: Holen Sie es neu.</translation>
    </message>
    <message>
      <source>{1}, where a finite number is needed.</source>
      <translation>{1}; gebraucht wird eine endliche Zahl.</translation>
    </message>
    <message>
      <source>{1}, where a list of whole numbers is needed.</source>
      <translation>{1}; gebraucht wird eine Liste ganzer Zahlen.</translation>
    </message>
    <message>
      <source>{1}, where a number is needed.</source>
      <translation>{1}; gebraucht wird eine Zahl.</translation>
    </message>
    <message>
      <source>{1}, where a number of sensible size is needed.</source>
      <translation>{1}; gebraucht wird eine Zahl vernünftiger Größe.</translation>
    </message>
    <message>
      <source>{1}, where a whole number is needed.</source>
      <translation>{1}; gebraucht wird eine ganze Zahl.</translation>
    </message>
    <message>
      <source>{1}: "!" (a tag) is not used in settings; put the value in quotes if it begins so.</source>
      <translation>{1}: „!“ (ein Tag) wird in Einstellungen nicht benutzt; setzen Sie den Wert in Anführungszeichen, wenn er so beginnt.</translation>
    </message>
    <message>
      <source>{1}: "&amp;" and "*" (anchors) are not used in settings; write the value out, in quotes if it begins so.</source>
      <translation>{1}: „&amp;“ und „*“ (Anker) werden in Einstellungen nicht benutzt; schreiben Sie den Wert aus, in Anführungszeichen, wenn er so beginnt.</translation>
    </message>
    <message>
      <source>{1}: "delays" has an entry outside 0..64.</source>
      <translation>{1}: „delays“ hat einen Eintrag außerhalb von 0..64.</translation>
    </message>
    <message>
      <source>{1}: "delays" has {2} entries where {3} streams need one each.</source>
      <translation>{1}: „delays“ hat {2} Einträge, aber {3} Ströme brauchen je einen.</translation>
    </message>
    <message>
      <source>{1}: "depformer_dim" {2} does not divide into {3} heads.</source>
      <translation>{1}: „depformer_dim“ {2} lässt sich nicht in {3} Köpfe teilen.</translation>
    </message>
    <message>
      <source>{1}: "dim" {2} does not divide into {3} heads of even size.</source>
      <translation>{1}: „dim“ {2} lässt sich nicht in {3} Köpfe gerader Größe teilen.</translation>
    </message>
    <message>
      <source>{1}: a list is given where one value is needed; put text in quotes if it begins with [ or -.</source>
      <translation>{1}: Eine Liste steht, wo ein einzelner Wert gebraucht wird; setzen Sie Text in Anführungszeichen, wenn er mit [ oder - beginnt.</translation>
    </message>
    <message>
      <source>{1}: a second document begins here; keep only one.</source>
      <translation>{1}: Hier beginnt ein zweites Dokument; behalten Sie nur eines.</translation>
    </message>
    <message>
      <source>{1}: dimension {2} does not divide into {3} heads of even size.</source>
      <translation>{1}: dimension {2} lässt sich nicht in {3} Köpfe gerader Größe teilen.</translation>
    </message>
    <message>
      <source>{1}: faster on this processor than the {2} of the model's file.</source>
      <translation>{1}: auf diesem Prozessor schneller als das {2} der Modelldatei.</translation>
    </message>
    <message>
      <source>{1}: how much memory is free is not known.</source>
      <translation>{1}: Wie viel Speicher frei ist, ist nicht bekannt.</translation>
    </message>
    <message>
      <source>{1}: it needs {2} of {3} free memory.</source>
      <translation>{1}: Gebraucht werden {2} von {3} freiem Speicher.</translation>
    </message>
    <message>
      <source>{1}: it unpacks to far more than voices take.</source>
      <translation>{1}: Ausgepackt ist es weit mehr, als Stimmen brauchen.</translation>
    </message>
    <message>
      <source>{1}: no codebook is left for the user's voice.</source>
      <translation>{1}: Für die Stimme des Benutzers bleibt kein Codebuch.</translation>
    </message>
    <message>
      <source>{1}: ratios {2} do not fit a frame of {3} samples.</source>
      <translation>{1}: ratios {2} passen nicht zu einem Frame von {3} Werten.</translation>
    </message>
    <message>
      <source>{1}: settings are a table, such as model: and below it mode: eager.</source>
      <translation>{1}: Einstellungen sind eine Tabelle, etwa model: und darunter mode: eager.</translation>
    </message>
    <message>
      <source>{1}: the model's file is in it.</source>
      <translation>{1}: Die Datei des Modells liegt darin vor.</translation>
    </message>
    <message>
      <source>{1}: the name of a setting must be a plain word.</source>
      <translation>{1}: Der Name einer Einstellung muss ein einfaches Wort sein.</translation>
    </message>
    <message>
      <source>{1}: the name {2} leads out of its folder.</source>
      <translation>{1}: Der Name {2} führt aus seinem Ordner heraus.</translation>
    </message>
    <message>
      <source>{1}: the tables are nested too deeply.</source>
      <translation>{1}: Die Tabellen sind zu tief verschachtelt.</translation>
    </message>
    <message>
      <source>{1}: there is no setting {2}.{3}</source>
      <translation>{1}: Eine Einstellung {2} gibt es nicht.{3}</translation>
    </message>
    <message>
      <source>{1}: {2} cannot be set: {3}</source>
      <translation>{1}: {2} lässt sich nicht setzen: {3}</translation>
    </message>
    <message>
      <source>{1}: {2} is a link or a device.</source>
      <translation>{1}: {2} ist ein Verweis oder ein Gerät.</translation>
    </message>
    <message>
      <source>{1}: {2} is a section, with settings such as {3}.</source>
      <translation>{1}: {2} ist ein Abschnitt mit Einstellungen wie {3}.</translation>
    </message>
    <message>
      <source>{1}: {2} takes one value, not a table.</source>
      <translation>{1}: {2} nimmt einen einzelnen Wert, keine Tabelle.</translation>
    </message>
    <message>
      <source>{1}: {2} was already given{3}; keep one of the two.</source>
      <translation>{1}: {2} steht schon{3} da; behalten Sie eines von beiden.</translation>
    </message>
    <message>
      <source>{1}: {2}; it needs {3}.</source>
      <translation>{1}: {2}; gebraucht werden {3}.</translation>
    </message>
  </context>
</TS>

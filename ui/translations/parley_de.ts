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
      <source>, about {time} left</source>
      <translation>, noch etwa {time}</translation>
    </message>
    <message>
      <source>, because talks ramble or fall apart beyond; Full range allows it.</source>
      <translation>, weil Gespräche darüber hinaus ausufern oder zerfallen; „Voller Bereich“ erlaubt es.</translation>
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
      <translation>&amp;Voller Bereich</translation>
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
      <translation>In {mode} &amp;weitermachen</translation>
    </message>
    <message>
      <source>Go on</source>
      <translation>Weiter</translation>
    </message>
    <message>
      <source>Good.</source>
      <translation>Gut.</translation>
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
      <source>None of those saved</source>
      <translation>Keine der gespeicherten</translation>
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
      <source>Only models trained for it, such as PersonaPlex, follow a voice.</source>
      <translation>Nur Modelle, die darauf trainiert sind, wie PersonaPlex, folgen einer Stimme.</translation>
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
      <source>Parley has started again. The words so far are here; the model has forgotten them.</source>
      <translation>Parley ist neu gestartet. Die bisherigen Worte sind hier; das Modell hat sie vergessen.</translation>
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
      <source>Press Start talk and speak English. This small model knows a few things. Try: what is seven plus five? Or: say elephant. What comes after Monday? What is the opposite of hot? Tell me a story about a robot.</source>
      <translation>Drücken Sie „Gespräch beginnen“, und sprechen Sie Englisch. Dieses kleine Modell kennt nur wenige Dinge. Zum Beispiel: what is seven plus five? Oder: say elephant. What comes after Monday? What is the opposite of hot? Tell me a story about a robot.</translation>
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
      <source>This first version of the bundled model speaks clearly and takes turns, but it seldom understands: its answers rarely fit the question.</source>
      <translation>Diese erste Fassung des mitgelieferten Modells spricht deutlich und lässt ausreden, versteht aber selten: Ihre Antworten passen kaum je zur Frage.</translation>
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
      <source>download</source>
      <translation>Herunterladen</translation>
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
      <source>untrained</source>
      <translation>untrainiert</translation>
    </message>
    <message>
      <source>warm-up</source>
      <translation>Aufwärmen</translation>
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
</TS>

/** Texts of the simulated provider. They only say that they are a simulation, at different lengths. */
const openings = [
  'This is the simulated model of the demonstration.',
  'No model produced this response: it is part of the demonstration.',
  'A simulated answer, streamed at the speed of a real one.',
];

const sentences = [
  'The request went through admission, a hold on the balance, and the choice of a channel.',
  'Its tokens are counted, priced once, and settled together with this record.',
  'Open the log screen to see the receipt and the attempts behind it.',
  'Add a channel with a real key to hear a real model instead.',
  'If a channel fails before the first word, another one is tried and only one charge is made.',
  'Streams use constant memory, and a client that disconnects early pays only for what was delivered.',
];

/** The same question gets the same answer. */
export function sayAbout(question: string): string {
  let hash = 7;
  for (const character of question) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  const opening = openings[hash % openings.length] ?? '';
  const count = 2 + (hash % (sentences.length - 2));
  const rest = Array.from(
    { length: count },
    (_, index) => sentences[(hash + index) % sentences.length] ?? '',
  );
  return [opening, ...rest].join(' ');
}

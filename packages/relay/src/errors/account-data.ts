/**
 * Patterns of the operator's account data in vendor errors that a client may read: the account's identity and its
 * billing. Each match is replaced with a word, so that the sentence stays readable.
 */
const UUID = String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`;

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/g, '[email]'],
  // AWS, Azure, Google
  [/\barn:aws[\w-]*:[^\s"',)]+/gi, '[account]'],
  [/\/?subscriptions\/[^\s"',)]+/gi, '[account]'],
  [/\bprojects\/[\w-]+/gi, 'projects/[account]'],
  // OpenAI, Anthropic, OpenRouter, Groq
  [/\b(?:org|proj|user|acct|team|ws|wrkspc|tenant|cus)[-_](?=[\w-]*\d)[\w-]{6,}/gi, '[account]'],
  [/\borg-[\w-]{2,}/gi, '[account]'],
  [
    new RegExp(
      String.raw`\b((?:organi[sz]ation|project|team|account|workspace|tenant|subscription|user|consumer|customer|uid)(?:[ _-]?(?:id|number|name))?(?: is)?[ :=#'"\x60(]{1,4})(?:project[s]?[:/])?(?:${UUID}|(?=[\w-]*\d)[\w-]{6,})`,
      'gi',
    ),
    '$1[account]',
  ],
];

const address = /\bhttps?:\/\/[^\s"'<>()\]]{1,2000}/gi;
const manageAccount =
  /account|admin|billing|console|credit|dashboard|manage|organi[sz]ation|\borg\b|platform|plans|portal|project|settings|subscription|team|usage|workspace/i;
/** Parts of an address that identify an account: a query, a long number, a UUID, a random word. */
const accountIdentifier = new RegExp(
  String.raw`\?|\d{5,}|${UUID}|\b[a-z]{2,7}[-_](?=\w*\d)\w{4,}|(?=[a-z]*\d)(?=\d*[a-z])\w{16,}`,
  'i',
);

/** Returns a vendor's words without the ids, addresses and names of the operator's account. */
export function redactAccountData(text: string): string {
  const clean = text.replaceAll(address, (url) => {
    const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
    return manageAccount.test(url) && accountIdentifier.test(url.slice(origin.length)) ? origin : url;
  });
  return replacements.reduce((so, [pattern, word]) => so.replaceAll(pattern, word), clean);
}

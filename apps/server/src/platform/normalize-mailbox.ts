/** Domains of providers that deliver to the same mailbox, each with the domain that stands for them. */
const sameDomains = new Map(
  [
    // https://support.google.com/mail/answer/10313
    ['gmail.com', 'googlemail.com'],
    ['icloud.com', 'me.com', 'mac.com'],
    ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'ya.ru'],
  ].flatMap((domains) => domains.map((domain) => [domain, domains[0] ?? domain] as const)),
);

/**
 * Returns a canonical form of an address for rate limits and gifts. Many providers deliver `a.b+c@` to the owner of
 * `ab@`, and some have several domains; that different users of other providers may share a limit does little harm.
 */
export function normalizeMailbox(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@', 2);
  return `${(local.split('+', 1)[0] ?? '').replaceAll('.', '')}@${sameDomains.get(domain) ?? domain}`;
}

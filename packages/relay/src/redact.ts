/** Shapes of keys that vendors put into their messages, whole or partly masked. */
const keyLike = /\b(?:sk|pk|rk|xai|gsk)[-_][\w*.…-]{6,}|\bBearer [\w*.…-]{6,}|\bAIza[\w-]{20,}/g;
const MESSAGE_MAX = 1_000;
/** Shorter values are options that landed in a credential field; replacing them would garble the text. */
const SECRET_MIN = 6;

/** A vendor's words without the channel's credentials or anything that looks like a key. */
export function redact(message: string, credentials: Readonly<Record<string, string>>): string {
  let clean = message;
  for (const secret of Object.values(credentials)) {
    if (secret.length >= SECRET_MIN) clean = clean.replaceAll(secret, '[key]');
  }
  return clean.replaceAll(keyLike, '[key]').slice(0, MESSAGE_MAX);
}

/** Name of the model that an upstream reports as the served one, and its comparison with the requested name. */
import { type JsonObject, objectOf, shortCopy, textOf } from '../json/json.ts';

/** Maximum bytes of a stream's start that are searched. In a JSON string, quotation marks are escaped. */
const SEARCHED_BYTES = 16_384;
const named = /"(?:model|modelVersion)"\s*:\s*"([^"\\]{1,256})"/;

/** Returns the model's name in a response, or in an event of any dialect; undefined without one. */
export function readServedModel(json: JsonObject): string | undefined {
  const name =
    textOf(json['model']) ??
    textOf(json['modelVersion']) ??
    textOf(objectOf(json['message'])['model']) ??
    textOf(objectOf(json['response'])['model']);
  return name && shortCopy(name);
}

/** Returns the model's name in unparsed events. */
export function findServedModel(events: Buffer): string | undefined {
  return named.exec(events.toString('latin1', 0, SEARCHED_BYTES))?.[1];
}

/**
 * Returns whether two names mean different models: their words differ (`gpt-5`, `gpt-5-mini`), or the requested
 * numbers differ (`gpt-4.1`, `gpt-5`). Dates, revisions and vendor prefixes don't count.
 */
export function isDifferentModel(asked: string, served: string): boolean {
  if (asked === served) return false;
  const [wanted, got] = [partsOf(asked), partsOf(served)];
  if (wanted.words.some((word) => choosers.has(word))) return false;
  if (wanted.words.length !== got.words.length) return true;
  if (wanted.words.some((word, at) => word !== got.words[at])) return true;
  let at = 0;
  for (const number of got.numbers) if (number === wanted.numbers[at]) at++;
  return at < wanted.numbers.length;
}

/**
 * Vendor prefix (`openai/gpt-5`, `us.anthropic.claude-…`, `accounts/fireworks/models/…`) or suffix (`:free`,
 * `-v1:0`).
 */
const vendor = /^(?:.*\/|(?:[a-z]{2,8}\.)?[a-z]{2,12}\.(?=[a-z]))|:[a-z]+$|-v\d+:\d+$/g;
/** Words for a model's status or number format. */
const noise = /^(latest|preview|exp|experimental|beta|stable|instruct|it|hf|fp\d+|bf16|int\d|awq|gptq|maas|tee|v)$/;

/** Router names, for which the vendor chooses the model: `openrouter/auto`, `model-router`. */
const choosers = new Set(['auto', 'router']);

function partsOf(name: string): { words: string[]; numbers: string[] } {
  const plain = name
    .toLowerCase()
    .replaceAll(vendor, '')
    .split(/[^a-z0-9]+/);
  // `4o` and `70b` are words; `v3` and `qwen3` are a word and a number.
  const tokens = plain
    .filter((token) => !noise.test(token))
    .flatMap((token) => token.split(/(?<=^[a-z]+)(?=\d+$)/))
    .filter((token) => !noise.test(token));
  return {
    words: tokens.filter((token) => /[a-z]/.test(token)).toSorted(),
    numbers: tokens.filter((token) => /^\d+$/.test(token)),
  };
}

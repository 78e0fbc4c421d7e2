/** Checks the texts of one request or response against the word lists. */

import { RedactedText, type ResponseCheck, type TextCheck } from '@switchyard/relay';
import type { LoadedRule, WordListMatcher } from './loaded-rules.ts';
import { WordScan } from './word-scan.ts';

/** Characters that are scanned in about a millisecond. */
const SLICE_CHARACTERS = 8_192;
/** Beginning a text takes as long as scanning so many characters. */
const SLICE_COST = 64;

export class ContentModerator implements ResponseCheck {
  readonly #lists: WordListMatcher;
  readonly #onFound: (rule: LoadedRule) => void;
  readonly #found = new Set<LoadedRule>();
  #isRefused = false;
  /** Characters that were scanned since the last yield. */
  #sincePause = 0;

  /** @param onFound called once for each rule that matches */
  constructor(lists: WordListMatcher, onFound: (rule: LoadedRule) => void) {
    this.#lists = lists;
    this.#onFound = onFound;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  begin(isJson: boolean): TextCheck {
    const redacted = new RedactedText();
    const scan = this.#scan(isJson, redacted, 0);
    return {
      push: (piece) => scan.scan(piece),
      end: () => scan.end(),
      get decidedLength() {
        return scan.settledOffset;
      },
      redactNext: (piece) => redacted.redactNext(piece),
    };
  }

  /** Masks texts at once, as `maskInSlices` does. */
  mask(texts: readonly string[]): readonly string[] {
    return runAtOnce(this.maskInSlices(texts));
  }

  /**
   * Returns the masked texts; the same list if nothing is masked. Each text is scanned alone, and all as one; what may be
   * JSON is also scanned with its escapes decoded. Yields about once in a millisecond.
   */
  *maskInSlices(texts: readonly string[]): Generator<undefined, readonly string[]> {
    const whole = texts.join('');
    const starts = computeOffsets(texts);
    const redacted = new RedactedText();
    for (const isJson of whole.includes('\\') ? [false, true] : [false]) {
      for (const [nth, text] of texts.entries()) yield* this.#scanWhole(text, isJson, redacted, starts[nth] ?? 0);
      if (texts.length > 1) yield* this.#scanWhole(whole, isJson, redacted, 0);
    }
    const masked: string[] = [];
    for (const text of texts) {
      const parts: string[] = [];
      for (const slice of sliceText(text)) {
        parts.push(redacted.redactNext(slice));
        if (this.#isPauseDue(slice)) yield;
      }
      masked.push(parts.join(''));
    }
    return masked.every((text, nth) => text === texts[nth]) ? texts : masked;
  }

  /** @param at offset of the text in `redacted` */
  *#scanWhole(text: string, isJson: boolean, redacted: RedactedText, at: number): Generator<undefined, void> {
    const scan = this.#scan(isJson, redacted, at);
    for (const slice of sliceText(text)) {
      scan.scan(slice);
      if (this.#isPauseDue(slice)) yield;
    }
    scan.end();
  }

  #isPauseDue({ length }: string): boolean {
    this.#sincePause += length + SLICE_COST;
    if (this.#sincePause < SLICE_CHARACTERS) return false;
    this.#sincePause = 0;
    return true;
  }

  #scan(isJson: boolean, redacted: RedactedText, at: number): WordScan {
    const { matcher, rules } = this.#lists;
    return new WordScan(
      matcher,
      (lists, start, end) => {
        for (const [bit, rule] of rules.entries()) {
          if (rule === undefined || (lists & (1 << bit)) === 0) continue;
          this.#note(rule);
          if (rule.action === 'mask') redacted.add(at + start, at + end);
        }
      },
      isJson,
    );
  }

  #note(rule: LoadedRule): void {
    if (this.#found.has(rule)) return;
    this.#found.add(rule);
    if (rule.action === 'refuse') this.#isRefused = true;
    this.#onFound(rule);
  }
}

/** Returns the offset of each text in their concatenation. */
function computeOffsets(texts: readonly string[]): number[] {
  let at = 0;
  return texts.map(({ length }) => {
    const start = at;
    at += length;
    return start;
  });
}

function* sliceText(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += SLICE_CHARACTERS) yield text.slice(from, from + SLICE_CHARACTERS);
}

/** Runs work that yields after each slice, without a pause. */
function runAtOnce<T>(slices: Iterator<undefined, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}

/** Checks the texts of one request or response against the word lists. */

import { RedactedText, type ResponseCheck, type TextCheck } from '@switchyard/relay';
import type { LoadedRule, WordListMatcher } from './loaded-rules.ts';
import { WordScan } from './word-scan.ts';

export class ContentModerator implements ResponseCheck {
  readonly #lists: WordListMatcher;
  readonly #onFound: (rule: LoadedRule) => void;
  readonly #found = new Set<LoadedRule>();
  #isRefused = false;

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

  /**
   * Returns the masked texts. Each text is scanned alone, and all as one; what may be JSON is also scanned with its
   * escapes decoded.
   */
  change(texts: readonly string[]): string[] {
    const whole = texts.join('');
    const starts = computeOffsets(texts);
    const redacted = new RedactedText();
    for (const isJson of whole.includes('\\') ? [false, true] : [false]) {
      for (const [nth, text] of texts.entries()) this.#scanWhole(text, isJson, redacted, starts[nth] ?? 0);
      if (texts.length > 1) this.#scanWhole(whole, isJson, redacted, 0);
    }
    return texts.map((text) => redacted.redactNext(text));
  }

  /** @param at offset of the text in `redacted` */
  #scanWhole(text: string, isJson: boolean, redacted: RedactedText, at: number): void {
    const scan = this.#scan(isJson, redacted, at);
    scan.scan(text);
    scan.end();
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

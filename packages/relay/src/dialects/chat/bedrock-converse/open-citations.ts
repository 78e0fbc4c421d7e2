import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent, CitedSource } from '../../../model/conversation.ts';
import type { Lost } from '../../../model/format.ts';

/** Far more than a paragraph rests on. */
const CITATIONS_MAX = 1_000;

/** Collector of the citations for the open text block; each one applies to the whole block. */
export class OpenCitations {
  #sources: CitedSource[] = [];
  #start = 0;
  #end = 0;
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  addText(text: string): void {
    this.#end += text.length;
  }

  /** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html */
  cite({ title, location, sourceContent }: JsonObject): void {
    if (this.#sources.length >= CITATIONS_MAX) {
      this.#lost.add('citation');
      return;
    }
    const quotes = listOf(sourceContent).flatMap((piece) => textOf(objectOf(piece)['text']) ?? []);
    this.#sources.push({
      url: textOf(objectOf(objectOf(location)['web'])['url']),
      title: textOf(title),
      quote: quotes.length > 0 ? quotes.join('') : undefined,
    });
  }

  /** The block has ended. */
  stop(): AnswerEvent[] {
    const place = { start: this.#start, end: this.#end };
    const citations = this.#sources.map((source) => ({ ...source, ...place }));
    this.#sources = [];
    this.#start = this.#end;
    return citations.map((citation) => ({ type: 'citation', citation }));
  }
}

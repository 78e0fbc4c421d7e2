import { Lexer, type Token } from 'marked';
import { isReadableInline } from './readable-markdown.ts';

/** Reads Markdown; a paragraph that would keep the page busy stays text. */
export class CarefulLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (isReadableInline(text)) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text, escaped: false });
    return tokens;
  }
}

import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { z } from 'zod';

const sources = import.meta.glob<string>(['../**/*.tsx', '!../**/*.test.tsx', '!../app/gallery/**', '!../testing/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Attributes whose text users see or hear. */
const readAttributes = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'help',
  'helperText',
  'hint',
  'label',
  'placeholder',
  'text',
  'title',
]);
/** Names, addresses and examples that are equal in every language. */
const sameEverywhere =
  /^(?:Switchyard|vip|[\d\W]*|\w+:\/\/\S*|[\w.@*/:-]+\.[\w*/:-]+|\d+x\d+\/\w+|[a-z]+-[\w*-]+|\/[\w/]*|[A-Z]{2,4})$/;

const node = z.looseObject({ type: z.string() });
type Node = z.output<typeof node>;
const isNode = (value: unknown): value is Node => node.safeParse(value).success;

/** Returns the text of a string, or of a template without its values. */
function textOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === 'JSXExpressionContainer') return textOf(value['expression']);
  if (value.type === 'Literal' && typeof value['value'] === 'string') return value['value'];
  if (value.type !== 'TemplateLiteral' || !Array.isArray(value['quasis'])) return undefined;
  return value['quasis'].map((part: { value?: { cooked?: string } }) => part.value?.cooked ?? '').join('');
}

function* textsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* textsIn(one);
    return;
  }
  if (!isNode(value)) return;
  yield* readTexts(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object') yield* textsIn(inner);
}

function* readTexts(found: Node): Generator<string> {
  if (found.type === 'JSXText' && typeof found['value'] === 'string') yield found['value'];
  if (found.type === 'JSXElement' && Array.isArray(found['children']))
    for (const child of found['children']) {
      const text = isNode(child) && child.type === 'JSXExpressionContainer' ? textOf(child) : undefined;
      if (text !== undefined) yield text;
    }
  if (found.type === 'JSXAttribute' && isNode(found['name']) && readAttributes.has(String(found['name']['name']))) {
    const text = textOf(found['value']);
    if (text !== undefined) yield text;
  }
}

const hardCoded = (source: string): string[] =>
  [...textsIn(parseAst(source, { lang: 'tsx' }).body)]
    .map((text) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !sameEverywhere.test(text));

it('finds text that users see or hear, and no other', () => {
  const source = `const a = <b title="Hello there" className="big bold">Hi {name} {'you all'} <i aria-label={\`Row \${n} up\`} /> 12 </b>;`;
  expect(hardCoded(source).toSorted()).toEqual(['Hello there', 'Hi', 'Row  up', 'you all']);
});

it('finds no untranslated text on any screen', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  const found = Object.entries(sources).flatMap(([path, source]) =>
    hardCoded(source).map((text) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});

/** The product's sources as syntax trees, for tests of what no line of them contains. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';

const root = join(import.meta.dirname, '../..');
const folders = ['apps/server/src', 'packages/contract/src', 'packages/relay/src'];

/** A node of the tree; its fields depend on its type. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

export interface SourceFile {
  /** Paths from the repository's root. */
  file: string;
  nodes: SyntaxNode[];
}

/** Without tests and their helpers. */
export function readProductSources(): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing/'))
      .map((name) => join(root, folder, name))
      .map((path) => ({
        file: relative(root, path),
        nodes: collectNodes(parseSync(readFileSync(path, 'utf8'), { syntax: 'typescript', target: 'es2024' })),
      })),
  );
}

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null;
}

function collectNodes(value: unknown): SyntaxNode[] {
  if (!isSyntaxNode(value)) return [];
  const inner = Object.values(value).flatMap(collectNodes);
  return typeof value['type'] === 'string' ? [value, ...inner] : inner;
}

/** `name`, or the last part of `some.name`. */
export function getNodeName(node: unknown): string {
  if (!isSyntaxNode(node)) return '';
  if (node['type'] === 'MemberExpression') return getNodeName(node['property']);
  return typeof node['value'] === 'string' ? node['value'] : '';
}

export function getCallArguments(call: SyntaxNode): unknown[] {
  const list = call['arguments'];
  return Array.isArray(list)
    ? list.map((argument: unknown) => (isSyntaxNode(argument) ? argument['expression'] : argument))
    : [];
}

/** Text without variable parts. */
export function isFixedText(node: unknown): boolean {
  if (!isSyntaxNode(node)) return false;
  const { type, expressions } = node;
  return (
    type === 'StringLiteral' || (type === 'TemplateLiteral' && Array.isArray(expressions) && expressions.length === 0)
  );
}

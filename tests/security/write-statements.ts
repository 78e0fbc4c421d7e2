/** Statements of the server that delete or change rows, found in its sources. */
import { getCallArguments, getNodeName, isSyntaxNode, type SourceFile, type SyntaxNode } from './walk-sources.ts';

export interface WriteStatement {
  file: string;
  /** `delete <table>` or `update <table>`; for literal SQL, `sql delete <table>`. */
  what: string;
  table: string;
  /** Columns that are compared with a single value. */
  equal: ReadonlySet<string>;
  /** Whether it is within a call of `runInChunks` or `processRowsInChunks`. */
  isChunked: boolean;
}

const builders: ReadonlyMap<string, string> = new Map([
  ['deleteFrom', 'delete'],
  ['updateTable', 'update'],
]);
/** Name for a table that isn't literal. */
const VARIABLE = '(variable)';
const chunkFunctions: ReadonlySet<string> = new Set(['runInChunks', 'processRowsInChunks']);

export function listWriteStatements({ file, nodes }: SourceFile): WriteStatement[] {
  const calls = nodes.filter(({ type }) => type === 'CallExpression');
  const chunked = calls.filter(({ callee }) => chunkFunctions.has(getNodeName(callee))).map(getSpan);
  const isChunked = (node: SyntaxNode): boolean => {
    const { start, end } = getSpan(node);
    return chunked.some((span) => span.start <= start && end <= span.end);
  };
  const built = calls.flatMap((call) => {
    const verb = builders.get(getNodeName(call['callee']));
    if (verb === undefined) return [];
    const [argument] = getCallArguments(call);
    const table = getText(argument) ?? VARIABLE;
    const equal = listEqualColumns(calls, call);
    return [{ file, what: `${verb} ${table}`, table, equal, isChunked: isChunked(call) }];
  });
  const written = nodes.flatMap((node) => {
    const statement = parseSqlStatement(node);
    if (statement === undefined) return [];
    const { verb, table } = statement;
    return [{ file, what: `sql ${verb} ${table}`, table, equal: new Set<string>(), isChunked: isChunked(node) }];
  });
  return [...built, ...written];
}

/** Columns of `.where(column, '=', value)` in the chain of calls that begins with this one. */
function listEqualColumns(calls: readonly SyntaxNode[], first: SyntaxNode): ReadonlySet<string> {
  const columns = calls
    .filter((call) => getNodeName(call['callee']) === 'where' && isInChain(call, first))
    .flatMap((call) => {
      const [column, operator] = getCallArguments(call);
      return getText(operator) === '=' ? [getText(column)?.split('.').at(-1) ?? ''] : [];
    });
  return new Set(columns);
}

function isInChain(call: SyntaxNode, first: SyntaxNode): boolean {
  for (let node: unknown = call; isSyntaxNode(node) && node['type'] === 'CallExpression'; ) {
    if (node === first) return true;
    const { callee } = node;
    node = isSyntaxNode(callee) ? callee['object'] : undefined;
  }
  return false;
}

function parseSqlStatement(node: SyntaxNode): { verb: string; table: string } | undefined {
  if (node['type'] !== 'TaggedTemplateExpression' || getNodeName(node['tag']) !== 'sql') return undefined;
  const { template } = node;
  const quasis = isSyntaxNode(template) ? template['quasis'] : undefined;
  const head: unknown = Array.isArray(quasis) ? quasis[0] : undefined;
  const text = isSyntaxNode(head) && typeof head['raw'] === 'string' ? head['raw'] : '';
  const [, verb, table = VARIABLE] = /^\s*(delete from|update)\s+(\w+)?/i.exec(text) ?? [];
  return verb === undefined ? undefined : { verb: verb.replace(' from', ''), table };
}

function getText(node: unknown): string | undefined {
  return isSyntaxNode(node) && node['type'] === 'StringLiteral' ? getNodeName(node) : undefined;
}

function getSpan(node: SyntaxNode): { start: number; end: number } {
  const { span } = node;
  const [start, end] = isSyntaxNode(span) ? [Number(span['start']), Number(span['end'])] : [0, 0];
  return { start, end };
}

/** Statements of the server that delete or change rows, found in its sources. */
import { argumentsOf, isNode, type Node, nameOf, type Source } from './walk-sources.ts';

export interface WriteStatement {
  file: string;
  /** `delete <table>` or `update <table>`; of SQL that is written out, `sql delete <table>`. */
  what: string;
  table: string;
  /** Columns that are compared with a single value. */
  equal: ReadonlySet<string>;
  /** It is within a call of `inPieces` or `rowsInPieces`. */
  isInPieces: boolean;
}

const builders: ReadonlyMap<string, string> = new Map([
  ['deleteFrom', 'delete'],
  ['updateTable', 'update'],
]);
/** The table isn't written out. */
const VARIABLE = '(variable)';
const pieces: ReadonlySet<string> = new Set(['inPieces', 'rowsInPieces']);

export function writeStatements({ file, nodes }: Source): WriteStatement[] {
  const calls = nodes.filter(({ type }) => type === 'CallExpression');
  const inPieces = calls.filter(({ callee }) => pieces.has(nameOf(callee))).map(spanOf);
  const isInPieces = (node: Node): boolean => {
    const { start, end } = spanOf(node);
    return inPieces.some((span) => span.start <= start && end <= span.end);
  };
  const built = calls.flatMap((call) => {
    const verb = builders.get(nameOf(call['callee']));
    if (verb === undefined) return [];
    const [argument] = argumentsOf(call);
    const table = textOf(argument) ?? VARIABLE;
    const equal = equalColumns(calls, call);
    return [{ file, what: `${verb} ${table}`, table, equal, isInPieces: isInPieces(call) }];
  });
  const written = nodes.flatMap((node) => {
    const statement = writtenStatement(node);
    if (statement === undefined) return [];
    const { verb, table } = statement;
    return [
      { file, what: `sql ${verb} ${table}`, table, equal: new Set<string>(), isInPieces: isInPieces(node) },
    ];
  });
  return [...built, ...written];
}

/** Columns of `.where(column, '=', value)` in the chain of calls that begins with this one. */
function equalColumns(calls: readonly Node[], first: Node): ReadonlySet<string> {
  const columns = calls
    .filter((call) => nameOf(call['callee']) === 'where' && beginsWith(call, first))
    .flatMap((call) => {
      const [column, operator] = argumentsOf(call);
      return textOf(operator) === '=' ? [textOf(column)?.split('.').at(-1) ?? ''] : [];
    });
  return new Set(columns);
}

function beginsWith(call: Node, first: Node): boolean {
  for (let node: unknown = call; isNode(node) && node['type'] === 'CallExpression'; ) {
    if (node === first) return true;
    const { callee } = node;
    node = isNode(callee) ? callee['object'] : undefined;
  }
  return false;
}

function writtenStatement(node: Node): { verb: string; table: string } | undefined {
  if (node['type'] !== 'TaggedTemplateExpression' || nameOf(node['tag']) !== 'sql') return undefined;
  const { template } = node;
  const quasis = isNode(template) ? template['quasis'] : undefined;
  const head: unknown = Array.isArray(quasis) ? quasis[0] : undefined;
  const text = isNode(head) && typeof head['raw'] === 'string' ? head['raw'] : '';
  const [, verb, table = VARIABLE] = /^\s*(delete from|update)\s+(\w+)?/i.exec(text) ?? [];
  return verb === undefined ? undefined : { verb: verb.replace(' from', ''), table };
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node['type'] === 'StringLiteral' ? nameOf(node) : undefined;
}

function spanOf(node: Node): { start: number; end: number } {
  const { span } = node;
  const [start, end] = isNode(span) ? [Number(span['start']), Number(span['end'])] : [0, 0];
  return { start, end };
}

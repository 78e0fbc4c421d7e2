import {
  type BinaryOperationNode,
  CompiledQuery,
  type Dialect,
  OperatorNode,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryId,
  type RootOperationNode,
} from 'kysely';
import type pg from 'pg';
import { toStorable } from './sqlite-compatibility.ts';

/** Arbitrary number, the same on all nodes. */
const WRITE_LOCK = 7_301_916;

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];
type TransactionSettings = Parameters<PostgresDriver['beginTransaction']>[1];

/**
 * Driver whose transactions run one after another, as on SQLite, so that what a transaction has read stays true until
 * it writes. Calls of clients do not wait for them: the ledger's commits lock the rows that they touch.
 */
class LockingDriver extends PostgresDriver {
  override async beginTransaction(
    connection: Connection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    const begin = `begin${level}${accessMode === undefined ? '' : ` ${accessMode}`}`;
    try {
      await connection.executeQuery(CompiledQuery.raw(`${begin}; select pg_advisory_xact_lock(${WRITE_LOCK})`));
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  }
}

interface DialectOptions {
  /** Function that rewrites the text of each query. */
  translateQuery?: (text: string) => string;
  usesWriteLock?: boolean;
}

export function createPostgresDialect(
  pool: pg.Pool,
  { translateQuery = (text) => text, usesWriteLock = false }: DialectOptions = {},
): Dialect {
  const dialect = new PostgresDialect({ pool });
  class QueryCompiler extends PostgresQueryCompiler {
    override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
      const compiled = super.compileQuery(node, queryId);
      return { ...compiled, sql: translateQuery(compiled.sql), parameters: compiled.parameters.map(toStorable) };
    }

    /** Compiles `like` as case-insensitive, as on SQLite. */
    protected override visitOperator(node: OperatorNode): void {
      if (node.operator === 'like') this.append('ilike');
      else super.visitOperator(node);
    }

    /** Compiles an empty list as one that contains nothing, as on SQLite. */
    protected override visitBinaryOperation(node: BinaryOperationNode): void {
      const { operator, rightOperand } = node;
      const isEmpty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
      if (!isEmpty || !OperatorNode.is(operator)) super.visitBinaryOperation(node);
      else this.append(operator.operator === 'in' ? 'false' : 'true');
    }
  }
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => (usesWriteLock ? new LockingDriver({ pool }) : dialect.createDriver()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

import {
  type BinaryOperationNode,
  type CompiledQuery,
  type Dialect,
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryId,
  type RootOperationNode,
} from 'kysely';
import type pg from 'pg';

/** @param inItsWords what is done with the text of each query */
export function createPostgresDialect(pool: pg.Pool, inItsWords = (text: string) => text): Dialect {
  const dialect = new PostgresDialect({ pool });
  class QueryCompiler extends PostgresQueryCompiler {
    override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
      const compiled = super.compileQuery(node, queryId);
      return { ...compiled, sql: inItsWords(compiled.sql) };
    }

    /** As on SQLite, `like` knows no upper and lower case. */
    protected override visitOperator(node: OperatorNode): void {
      if (node.operator === 'like') this.append('ilike');
      else super.visitOperator(node);
    }

    /** As on SQLite, an empty list holds nothing. */
    protected override visitBinaryOperation(node: BinaryOperationNode): void {
      const { operator, rightOperand } = node;
      const isEmpty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
      if (!isEmpty || !OperatorNode.is(operator)) super.visitBinaryOperation(node);
      else this.append(operator.operator === 'in' ? 'false' : 'true');
    }
  }
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

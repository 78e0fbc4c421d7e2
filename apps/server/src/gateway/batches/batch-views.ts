/** Files and batches as OpenAI's API shows them. https://platform.openai.com/docs/api-reference/batch/object */
import type { BatchFileRow, BatchRow } from '../../batches/batches.ts';

export function fileView({ id, purpose, filename, bytes, created_at, expires_at }: BatchFileRow) {
  return { id, object: 'file', bytes, created_at, expires_at, filename, purpose, status: 'processed' };
}

export function batchView(row: BatchRow) {
  const { id, endpoint, model, input_file_id, output_file_id, error_file_id, status } = row;
  const { created_at, in_progress_at, expires_at, finalizing_at, cancelling_at } = row;
  const endedAs = (end: BatchRow['status']): number | null => (status === end ? row.ended_at : null);
  return {
    id,
    object: 'batch',
    endpoint,
    ...(model === '' ? {} : { model }),
    errors: row.errors === null ? null : { object: 'list', data: JSON.parse(row.errors) as unknown },
    input_file_id,
    completion_window: '24h',
    status,
    output_file_id,
    error_file_id,
    created_at,
    in_progress_at,
    expires_at,
    finalizing_at,
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at,
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: row.total, completed: row.completed, failed: row.failed },
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as unknown),
  };
}

import type { NewUsageRecord } from './movement.ts';
import type { UsageDetail } from './usage-detail.ts';

/** The record of a charge that the balance did not cover: says by how many points. */
export function withOverrun(record: NewUsageRecord, overrun: number): NewUsageRecord {
  const detail = JSON.parse(record.detail) as UsageDetail;
  return { ...record, detail: JSON.stringify({ ...detail, overrun } satisfies UsageDetail) };
}

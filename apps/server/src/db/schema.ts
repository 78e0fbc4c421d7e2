import type { BatchFileTable, BatchLineTable, BatchTable } from '../batches/table.ts';
import type { AccessTokenTable } from '../features/access-tokens/table.ts';
import type { AlertMarkTable, DeliveryTable, DestinationTable } from '../features/alerts/table.ts';
import type { SavedViewTable, UsageCoarseSliceTable, UsageSliceTable } from '../features/analytics/table.ts';
import type { ApiKeyTable } from '../features/api-keys/table.ts';
import type { AuditEntryTable, AuditHeadTable } from '../features/audit/table.ts';
import type { CatalogueFetchTable, CatalogueListTable } from '../features/catalogue/table.ts';
import type { ChannelHourTable } from '../features/channel-history/table.ts';
import type { ChannelTestRunTable, ChannelTestTable } from '../features/channel-tests/table.ts';
import type { ChannelEventTable, ChannelKeyStateTable, ChannelTable } from '../features/channels/table.ts';
import type { SafetyDayTable, SafetyRuleTable } from '../features/content-safety/table.ts';
import type { IdempotencyKeyTable } from '../features/idempotency/table.ts';
import type { IdentityTable } from '../features/identities/table.ts';
import type { InvitationRewardTable } from '../features/invitations/table.ts';
import type { JobRunTable } from '../features/job-runs/table.ts';
import type { ModelOwnerTable } from '../features/model-owners/table.ts';
import type { ModelDetailTable, ModelFactsTable } from '../features/models/table.ts';
import type { NoticeSeenTable } from '../features/notices/table.ts';
import type { OneTimeTable } from '../features/one-time/table.ts';
import type { OrderEventTable, OrderRefundTable, PaymentOrderTable } from '../features/orders/table.ts';
import type { PasskeyTable } from '../features/passkeys/table.ts';
import type { ConversationTable } from '../features/playground/table.ts';
import type { MissingRateTable, PriceTable, PriceVersionTable } from '../features/prices/table.ts';
import type { ProcessorTable } from '../features/processors/table.ts';
import type { AvatarTable } from '../features/profile/table.ts';
import type { CodeBatchTable, RedemptionCodeTable } from '../features/redemption-codes/table.ts';
import type { RecoveryCodeTable, TotpTable } from '../features/second-factor/table.ts';
import type { DataKeyTable } from '../features/secrets/table.ts';
import type { KnownDeviceTable, SessionTable } from '../features/sessions/table.ts';
import type { SettingTable } from '../features/settings/table.ts';
import type { StaffRoleTable } from '../features/staff-roles/table.ts';
import type { StatementTable } from '../features/statements/table.ts';
import type { StoredResponseTable } from '../features/stored-responses/table.ts';
import type { HostCertificateTable } from '../features/system-info/table.ts';
import type { TelegramMenuTable, TelegramWebhookTable } from '../features/telegram/table.ts';
import type {
  ShippedRecordTable,
  SummarisedDayTable,
  UsageDayTable,
  UsageGroupDayTable,
} from '../features/usage-records/table.ts';
import type { UserGroupTable } from '../features/user-groups/table.ts';
import type { UserTable } from '../features/users/table.ts';
import type { ImportMapTable } from '../imports/table.ts';
import type {
  ChannelDayTable,
  ChannelUsageTable,
  HoldTable,
  KeyAccountTable,
  KeyDayTable,
  LedgerAlarmTable,
  LedgerEntryTable,
  NodeTable,
  UsageHourTable,
  UsageRecordTable,
  UserAccountTable,
} from '../ledger/table.ts';
import type { MailTable } from '../notify/table.ts';
import type { TaskTable } from '../tasks/table.ts';
import type { StoredWorkTable } from '../works/table.ts';
import type { ChangeVersionTable, LeaseTable } from './table.ts';

/** One row, written to see whether a write is possible. */
interface ReadinessTable {
  id: number;
  tried_at: number;
}

/** Every table. Only `ledger/` writes those of the second block. */
export interface Schema {
  user: UserTable;
  session: SessionTable;
  avatar: AvatarTable;
  known_device: KnownDeviceTable;
  identity: IdentityTable;
  passkey: PasskeyTable;
  totp: TotpTable;
  recovery_code: RecoveryCodeTable;
  one_time: OneTimeTable;
  access_token: AccessTokenTable;
  staff_role: StaffRoleTable;
  user_group: UserGroupTable;
  api_key: ApiKeyTable;
  channel: ChannelTable;
  channel_event: ChannelEventTable;
  channel_key_state: ChannelKeyStateTable;
  channel_test: ChannelTestTable;
  channel_test_run: ChannelTestRunTable;
  channel_hour: ChannelHourTable;
  conversation: ConversationTable;
  safety_rule: SafetyRuleTable;
  safety_day: SafetyDayTable;
  missing_rate: MissingRateTable;
  price: PriceTable;
  price_version: PriceVersionTable;
  model_facts: ModelFactsTable;
  model_detail: ModelDetailTable;
  model_owner: ModelOwnerTable;
  catalogue_fetch: CatalogueFetchTable;
  catalogue_list: CatalogueListTable;
  setting: SettingTable;
  telegram_menu: TelegramMenuTable;
  telegram_webhook: TelegramWebhookTable;
  audit_entry: AuditEntryTable;
  audit_head: AuditHeadTable;
  data_key: DataKeyTable;
  readiness: ReadinessTable;
  change_version: ChangeVersionTable;
  lease: LeaseTable;
  usage_day: UsageDayTable;
  summarised_day: SummarisedDayTable;
  usage_slice: UsageSliceTable;
  usage_coarse_slice: UsageCoarseSliceTable;
  saved_view: SavedViewTable;
  idempotency_key: IdempotencyKeyTable;
  stored_response: StoredResponseTable;
  mail: MailTable;
  processor: ProcessorTable;
  payment_order: PaymentOrderTable;
  order_event: OrderEventTable;
  order_refund: OrderRefundTable;
  code_batch: CodeBatchTable;
  redemption_code: RedemptionCodeTable;
  invitation_reward: InvitationRewardTable;
  statement: StatementTable;
  job_run: JobRunTable;
  notice_seen: NoticeSeenTable;
  destination: DestinationTable;
  delivery: DeliveryTable;
  alert_mark: AlertMarkTable;
  host_certificate: HostCertificateTable;
  task: TaskTable;
  batch_file: BatchFileTable;
  batch: BatchTable;
  batch_line: BatchLineTable;
  stored_work: StoredWorkTable;
  import_map: ImportMapTable;

  user_account: UserAccountTable;
  key_account: KeyAccountTable;
  key_day: KeyDayTable;
  ledger_alarm: LedgerAlarmTable;
  ledger_entry: LedgerEntryTable;
  hold: HoldTable;
  node: NodeTable;
  usage_record: UsageRecordTable;
  shipped_record: ShippedRecordTable;
  usage_group_day: UsageGroupDayTable;
  usage_hour: UsageHourTable;
  channel_usage: ChannelUsageTable;
  channel_day: ChannelDayTable;
}

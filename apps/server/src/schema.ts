import type { AccessTokenTable } from './accounts/access-tokens/table.ts';
import type { ApiKeyTable } from './accounts/api-keys/table.ts';
import type { KnownDeviceTable, SessionTable } from './accounts/authentication/table.ts';
import type { IdentityTable } from './accounts/identities/table.ts';
import type { InvitationRewardTable } from './accounts/invitations/table.ts';
import type { OneTimeTable } from './accounts/one-time-secrets/table.ts';
import type { PasskeyTable } from './accounts/passkeys/table.ts';
import type { AvatarTable } from './accounts/profile/table.ts';
import type { RecoveryCodeTable, TotpTable } from './accounts/second-factor/table.ts';
import type { StaffRoleTable } from './accounts/staff-roles/table.ts';
import type { UserGroupTable } from './accounts/user-groups/table.ts';
import type { UserTable } from './accounts/users/table.ts';
import type { StoredWorkTable } from './artifacts/table.ts';
import type { BatchFileTable, BatchLinePieceTable, BatchLineTable, BatchTable } from './batches/table.ts';
import type { OrderEventTable, OrderRefundTable, PaymentOrderTable } from './billing/orders/table.ts';
import type { PaymentProviderTable } from './billing/payment-providers/table.ts';
import type { CodeBatchTable, RedemptionCodeTable } from './billing/redemption-codes/table.ts';
import type { StatementTable } from './billing/statements/table.ts';
import type { CatalogueFetchTable, CatalogueListTable } from './catalog/catalog-updates/table.ts';
import type { ModelOwnerTable } from './catalog/model-owners/table.ts';
import type { ModelDetailTable, ModelFactsTable } from './catalog/models/table.ts';
import type { MissingRateTable, PriceTable, PriceVersionTable } from './catalog/prices/table.ts';
import type { ChannelHourTable } from './channels/attempt-stats/table.ts';
import type { ChannelTestRunTable, ChannelTestTable } from './channels/channel-tests/table.ts';
import type { ChannelEventTable, ChannelKeyStateTable, ChannelTable } from './channels/registry/table.ts';
import type { ChangeVersionTable, LeaseTable } from './db/table.ts';
import type { IdempotencyKeyTable, IdempotencyUsageTable } from './idempotency/table.ts';
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
} from './ledger/table.ts';
import type { AuditEntryTable, AuditHeadTable } from './operations/audit/table.ts';
import type { DismissedNotificationTable } from './operations/bell/table.ts';
import type { SafetyDayTable, SafetyRuleTable } from './operations/content-safety/table.ts';
import type { DataKeyTable } from './operations/data-keys/table.ts';
import type { MailTable } from './operations/mail/table.ts';
import type { AlertMarkTable, DeliveryTable, DestinationTable } from './operations/notifications/table.ts';
import type { JobRunTable } from './operations/scheduler/table.ts';
import type { SettingTable } from './operations/settings/table.ts';
import type { HostCertificateTable } from './operations/system-info/table.ts';
import type { TelegramMenuTable, TelegramWebhookTable } from './operations/telegram/table.ts';
import type { ConversationTable } from './playground/table.ts';
import type { StoredResponseTable } from './stored-responses/table.ts';
import type { TaskTable } from './tasks/table.ts';
import type { ImportMapTable } from './tools/importers/table.ts';
import type { SavedViewTable, UsageCoarseSliceTable, UsageSliceTable } from './usage/analytics/table.ts';
import type {
  ShippedRecordTable,
  SummarisedDayTable,
  UsageDayTable,
  UsageGroupDayTable,
} from './usage/usage-records/table.ts';

/** Row that is written to check whether the database accepts writes. */
interface ReadinessTable {
  id: number;
  tried_at: number;
}

/** All tables. Only `ledger/` writes those of the second block. */
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
  idempotency_usage: IdempotencyUsageTable;
  stored_response: StoredResponseTable;
  mail: MailTable;
  processor: PaymentProviderTable;
  payment_order: PaymentOrderTable;
  order_event: OrderEventTable;
  order_refund: OrderRefundTable;
  code_batch: CodeBatchTable;
  redemption_code: RedemptionCodeTable;
  invitation_reward: InvitationRewardTable;
  statement: StatementTable;
  job_run: JobRunTable;
  notice_seen: DismissedNotificationTable;
  destination: DestinationTable;
  delivery: DeliveryTable;
  alert_mark: AlertMarkTable;
  host_certificate: HostCertificateTable;
  task: TaskTable;
  batch_file: BatchFileTable;
  batch: BatchTable;
  batch_line: BatchLineTable;
  batch_line_piece: BatchLinePieceTable;
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

import { z } from 'zod';

const rowId = z.coerce.number().int().positive();

export const userId = rowId.brand<'UserId'>();
export const apiKeyId = rowId.brand<'ApiKeyId'>();
export const channelId = rowId.brand<'ChannelId'>();
export const userGroupId = rowId.brand<'UserGroupId'>();
export const usageRecordId = rowId.brand<'UsageRecordId'>();
export const auditEntryId = rowId.brand<'AuditEntryId'>();
export const accessTokenId = rowId.brand<'AccessTokenId'>();
export const passkeyId = rowId.brand<'PasskeyId'>();
export const staffRoleId = rowId.brand<'StaffRoleId'>();
export const processorId = rowId.brand<'ProcessorId'>();
export const orderId = rowId.brand<'OrderId'>();
export const codeBatchId = rowId.brand<'CodeBatchId'>();
export const redemptionCodeId = rowId.brand<'RedemptionCodeId'>();
export const conversationId = rowId.brand<'ConversationId'>();
export const savedViewId = rowId.brand<'SavedViewId'>();

export type UserId = z.output<typeof userId>;
export type ApiKeyId = z.output<typeof apiKeyId>;
export type ChannelId = z.output<typeof channelId>;
export type UserGroupId = z.output<typeof userGroupId>;
export type UsageRecordId = z.output<typeof usageRecordId>;
export type AuditEntryId = z.output<typeof auditEntryId>;
export type AccessTokenId = z.output<typeof accessTokenId>;
export type PasskeyId = z.output<typeof passkeyId>;
export type StaffRoleId = z.output<typeof staffRoleId>;
export type ProcessorId = z.output<typeof processorId>;
export type OrderId = z.output<typeof orderId>;
export type CodeBatchId = z.output<typeof codeBatchId>;
export type RedemptionCodeId = z.output<typeof redemptionCodeId>;
export type ConversationId = z.output<typeof conversationId>;
export type SavedViewId = z.output<typeof savedViewId>;

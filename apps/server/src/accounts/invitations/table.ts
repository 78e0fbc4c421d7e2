/** What an invitation brought the inviter: a gift of the ledger, and whom it was for. */
export interface InvitationRewardTable {
  /** The gift's own in the ledger. */
  ref: string;
  /** `share`: of a top-up that the invitee paid. */
  what: 'invitation' | 'share';
  inviter_id: number;
  invitee_id: number;
  /** What is left of it after refunds. */
  points: number;
  /** How often refunds have changed it. */
  changes: number;
  created_time: number;
}

/** Reward of an inviter: a gift in the ledger, and the invitee it was for. */
export interface InvitationRewardTable {
  /** Reference of the gift in the ledger. */
  ref: string;
  /** `share` is part of a top-up that the invitee paid. */
  what: 'invitation' | 'share';
  inviter_id: number;
  invitee_id: number;
  /** Points left of the reward after refunds. */
  points: number;
  /** Number of times refunds have changed it. */
  changes: number;
  created_time: number;
}

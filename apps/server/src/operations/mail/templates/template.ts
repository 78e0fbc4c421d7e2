/** Mail template: texts of one language, rendered to plain text and HTML by `templates.ts`. */

/** Values of each mail's template. Links are addresses of this site. */
export interface TemplateValues {
  'verification-code': { code: string; minutes: number };
  'already-registered': { signInLink: string; resetLink: string };
  'password-reset': { link: string; minutes: number };
  'password-changed': SiteLink;
  /** `time` is UTC seconds. */
  'new-sign-in': { device: string; address: string; time: number };
  /** Root acts as the reader. `time` is UTC seconds. */
  impersonated: { time: number; minutes: number };
  'identity-bound': { provider: string };
  'identity-unbound': { provider: string };
  'factor-added': { kind: FactorKind };
  'factor-removed': { kind: FactorKind };
  /** Mail to the account's previous address. */
  'email-changed': SiteLink;
  'account-deleted': SiteLink;
  /** Notification that the user subscribed to, with its text ready. `link` may be empty. */
  alert: { title: string; text: string; link: string };
  /** Mail about a group that was reached by topping up. */
  'group-reached': { group: string };
  'smtp-test': SiteLink;
}

/** Nothing besides the link to the site, which every mail has. */
type SiteLink = Readonly<Record<string, never>>;

export type FactorKind = 'totp' | 'passkey';

export type TemplateName = keyof TemplateValues;

/** A paragraph, a code to type in, or a link with its label. */
export type Block = string | { code: string } | { link: string; label: string };

export interface Message {
  /** Subject of at most 60 characters. */
  subject: string;
  body: readonly Block[];
}

/** Site details that every template may use. */
export interface Site {
  name: string;
  /** Public address of the site. */
  address: string;
  /** A moment in words, UTC. */
  moment: (time: number) => string;
}

/** Every template in one language; one that is missing does not compile. */
export interface Words {
  /** Why somebody gets this mail, under each of them. */
  footer(site: Site): string;
  templates: { readonly [K in TemplateName]: (values: TemplateValues[K], site: Site) => Message };
}

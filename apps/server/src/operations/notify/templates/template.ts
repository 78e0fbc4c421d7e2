/** What a template is: words of one language, made into a plain text and HTML by `render.ts`. */

/** What each mail tells besides its words. Links are addresses of this site. */
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
  /** To the address that the account had before. */
  'email-changed': SiteLink;
  'account-deleted': SiteLink;
  /** What somebody chose to be told; its words are made before. `link` may be empty. */
  alert: { title: string; text: string; link: string };
  /** By topping up. */
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
  /** At most 60 characters. */
  subject: string;
  body: readonly Block[];
}

/** What every template may use of the site. */
export interface Site {
  name: string;
  /** Where people reach it. */
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

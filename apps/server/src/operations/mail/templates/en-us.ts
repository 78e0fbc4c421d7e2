import type { FactorKind, Words } from './template.ts';

const factor: Record<FactorKind, string> = { totp: 'an authenticator app', passkey: 'a passkey' };

export const enUs: Words = {
  footer: ({ name, address }) => `${name} (${address}) sent this mail because of an account there.`,
  templates: {
    'verification-code': ({ code, minutes }, { name }) => ({
      subject: 'Your verification code',
      body: [
        `Enter this code at ${name} to confirm your mail address:`,
        { code },
        `It is valid for ${minutes} minutes. We never ask for it by phone or chat.`,
        'If you did not ask for a code, ignore this mail: nothing happens without it.',
      ],
    }),
    'already-registered': ({ signInLink, resetLink }, { name }) => ({
      subject: 'You already have an account',
      body: [
        `Somebody asked for a code to register at ${name} with this address. It already has an account, so there is no code.`,
        { link: signInLink, label: 'Sign in' },
        'If you forgot the password, choose a new one:',
        { link: resetLink, label: 'Reset password' },
        'If it was not you, ignore this mail: nothing about your account has changed.',
      ],
    }),
    'password-reset': ({ link, minutes }, { name }) => ({
      subject: 'Reset your password',
      body: [
        `Somebody asked to reset the password of your account at ${name}.`,
        { link, label: 'Choose a new password' },
        `The link works once, within ${minutes} minutes.`,
        'If it was not you, ignore this mail: your password stays as it is. Pass the link on to nobody.',
      ],
    }),
    'password-changed': (_values, { name, address }) => ({
      subject: 'Your password was changed',
      body: [
        `The password of your account at ${name} was changed.`,
        'If it was not you, reset the password at once on the sign-in page, and then end all other sessions in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'new-sign-in': ({ device, address: from, time }, { name, address, moment }) => ({
      subject: 'New sign-in to your account',
      body: [
        `Somebody signed in to your account at ${name} from a device that we did not know.`,
        `Device: ${device}`,
        `Address: ${from}`,
        `Time: ${moment(time)}`,
        'If it was you, there is nothing to do. If not, change your password at once and end the session in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    impersonated: ({ time, minutes }, { name, address, moment }) => ({
      subject: 'The operator signed in as you',
      body: [
        `The operator of ${name} signed in to your account, to see what you see.`,
        `Time: ${moment(time)}, for ${minutes} minutes at most`,
        'The operator can look, but change nothing and spend nothing. You see the session in your profile, and can end it there:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'identity-bound': ({ provider }, { name, address }) => ({
      subject: `${provider} can now sign in to your account`,
      body: [
        `Your account at ${name} was linked with ${provider}, which can sign in to it from now on.`,
        'If it was not you, change your password at once and remove the link in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'identity-unbound': ({ provider }, { name, address }) => ({
      subject: `${provider} was removed from your account`,
      body: [
        `${provider} can no longer sign in to your account at ${name}.`,
        'If it was not you, change your password at once and look at your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'factor-added': ({ kind }, { name, address }) => ({
      subject: 'Two-step sign-in: something was added',
      body: [
        `Your account at ${name} now has ${factor[kind]} for signing in.`,
        'If it was not you, change your password at once and remove it in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'factor-removed': ({ kind }, { name, address }) => ({
      subject: 'Two-step sign-in: something was removed',
      body: [
        `Your account at ${name} can no longer be signed in to with ${factor[kind]} that it had.`,
        'If it was not you, change your password at once and set it up again in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'email-changed': (_values, { name, address }) => ({
      subject: 'The mail address of your account was changed',
      body: [
        `Your account at ${name} has another mail address now. From here on, mail goes there.`,
        'If it was not you, sign in and change your password and the address at once. If you cannot, ask the operator for help:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'account-deleted': (_values, { name, address }) => ({
      subject: 'Your account was deleted',
      body: [
        `Your account at ${name} was deleted. Its tokens no longer work.`,
        'If it was not you, ask the operator for help:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    alert: ({ title, text, link }, { name }) => ({
      subject: title,
      body: [text, ...(link === '' ? [] : [{ link, label: `Go to ${name}` }])],
    }),
    'group-reached': ({ group }, { name, address }) => ({
      subject: 'You are in a new group',
      body: [
        `Thank you for topping up: your account at ${name} is now in the group ${group}. Its prices and limits apply from now on.`,
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'smtp-test': (_values, { name }) => ({
      subject: 'Test mail',
      body: [
        `This is a test mail from ${name}. The mail settings work.`,
        'If you did not expect it, ignore it.',
      ],
    }),
  },
};

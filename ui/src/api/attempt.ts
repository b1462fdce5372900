/**
 * A name for an attempt, which nobody else gives: the hub does the same attempt once, however often it is sent. The browser
 * makes UUIDs only where the connection is secure; a hub in the house is not.
 */
export const newAttempt = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

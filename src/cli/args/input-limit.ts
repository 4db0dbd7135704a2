/** No key, payload, user list or report is larger; most are copied several times on their way. */
export const maxInputBytes = 16 * 1024 * 1024;

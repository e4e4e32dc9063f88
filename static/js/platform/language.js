// The language that this page is in. It goes along with what its scripts ask, which may be another than the account's by
// now: that is changed in another tab, and a French page is answered in French until it is left.

export const spoken = { "X-Bareme-Language": document.documentElement.lang };

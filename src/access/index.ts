/** API keys, who is calling, and what they may do. */

export { createAccess, type Access, type AccessOptions } from './create-access.ts';
export { createKey, deleteKey, listKeys, type CreatedKey, type KeyView } from './keys.ts';
export { allRights, parseRights, type Principal, type Right } from './rights.ts';

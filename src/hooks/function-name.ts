/** Letters of any script, digits and few signs: nothing by which a path could become another one. */
const NAME = /^(?!\.+$)[\p{L}\p{M}\p{N}_.-]{1,200}$/u
/** Hooks under their registered names, and classes, which have hooks below them. */
const RESERVED = /^(__|_[A-Z]|_ops$)/
/** Hooks that messaging calls, in small letters. */
const MESSAGING_HOOKS = new Set([
  '_messagereceived',
  '_messageupdate',
  '_messagesent',
  '_receiversoffline',
  '_conversationstart',
  '_conversationstarted',
  '_conversationadd',
  '_conversationadded',
  '_conversationremove',
  '_conversationremoved',
  '_conversationupdate',
  '_clientonline',
  '_clientoffline',
  '_rtmclientsign',
])

/**
 * Whether a name may be that of a function. Some engines would run a hook that is called by its name without asking for
 * the hook key (protocol/cloud-code, Security).
 */
export function isFunctionName(name: string): boolean {
  return NAME.test(name) && !RESERVED.test(name) && !MESSAGING_HOOKS.has(name.toLowerCase())
}

/** Letters of any script, digits and a few signs, none of which can change a path. */
const NAME = /^(?!\.+$)[\p{L}\p{M}\p{N}_.-]{1,200}$/u
/** The registered names of hooks, and names of classes, whose hooks have paths below them. */
const RESERVED = /^(__|_[A-Z]|_ops$)/
/** Hooks that messaging calls, in lower case. */
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
 * Returns whether a name may be that of a function. Some engines would run a hook that is called by its name without checking the
 * hook key (protocol/cloud-code, Security).
 */
export function isFunctionName(name: string): boolean {
  return NAME.test(name) && !RESERVED.test(name) && !MESSAGING_HOOKS.has(name.toLowerCase())
}

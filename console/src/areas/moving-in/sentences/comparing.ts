/** What a comparison finds, and what is said of columns, permissions and indexes. */
export const COMPARING: { readonly [english: string]: string } = {
  'there is no class {} here': '这里没有 Class {1}',
  '{} has no field {} here': '这里的 {1} 没有字段 {2}',
  '{}.{} is {} here, not {}': '{1}.{2} 在这里是 {3}，而不是 {4}',
  '{}: {} is for {} here, for {} there': '{1}：{2} 权限在这里为 {3}，在来源为 {4}',
  '{}: its default ACL is {} here, {} there': '{1}：默认 ACL 在这里为 {2}，在来源为 {3}',
  'there is no leaderboard {} here': '这里没有排行榜 {1}',
  'size of the bytes': '文件大小',
  'MD5 of the bytes': '文件的 MD5',
  'is no record of a leaderboard': '不是排行榜的记录',
  'leaderboard {} has {} members here, {} there': '排行榜 {1} 在这里有 {2} 个成员，在来源有 {3} 个',
  'leaderboard {}: {} is {} here, {} there': '排行榜 {1}：{2} 在这里为 {3}，在来源为 {4}',
  'leaderboard {} is at version {} here, at {} there': '排行榜 {1} 在这里的版本为 {2}，在来源为 {3}',
  'leaderboard {}: archives of these versions are missing here: {}': '排行榜 {1}：这里缺少以下版本的归档：{2}',
  'leaderboard {}: archives of these versions are here as files, and not in its list: {}':
    '排行榜 {1}：以下版本的归档在这里是文件，不在它的归档列表中：{2}',
  'leaderboard {}: these versions have no archive there: {}': '排行榜 {1}：来源没有以下版本的归档：{2}',
  'leaderboard {}: its archives are not known: {}': '排行榜 {1}：无法得知它的归档：{2}',
  'leaderboard {}: values of a sample were compared, of {} members there':
    '排行榜 {1}：来源有 {2} 个成员，只抽查了其中一部分成绩',
  'the leaderboards were not compared: {}': '没有核对排行榜：{1}',
  'its version is in an archive alone here, so that values were not compared': '这里只剩下该版本的归档，没有核对成绩',
  '{} of {} have no objectId, so they were only counted': '{2} 中有 {1} 个没有 objectId，只统计了数量',
  '{} of {} come more than once in the source': '{2} 中有 {1} 个在来源中重复出现',
  'a password that was made anew here when the user logged in or chose another one: the two cannot be compared':
    '用户在这里登录或修改密码后重新生成的密码哈希，无法比较',
  '--rewritten-urls: files have no URL here that stays, so none was rewritten':
    '改写 URL：这里的文件没有长期有效的 URL，因此没有改写',
  '{}: is no object': '{1}：不是对象',
  'field {}: its type is not known: {}': '字段 {1}：无法识别其类型：{2}',
  'field {}: is {} in every app, not {}': '字段 {1}：在所有应用中都是 {2}，而不是 {3}',
  'field {}: the option {} is not known: {}': '字段 {1}：无法识别选项 {2}：{3}',
  'field {}: {} is left to the rules of its class': '字段 {1}：{2} 由其 Class 的规则决定',
  'field {}: {}': '字段 {1}：{2}',
  'field {}: its default is no {}: {}': '字段 {1}：默认值不是 {2}：{3}',
  'default ACL: {}': '默认 ACL：{1}',
  'permission {}: is not understood: {}': '权限 {1}：无法识别：{2}',
  'indexes: are no list': '索引：不是列表',
  'index {}: has no counterpart; indexes for speed are built when queries need them':
    '索引 {1}：没有对应的索引；需要时会自动建立加速查询的索引',
}

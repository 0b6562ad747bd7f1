package homeport;

import cn.leancloud.cache.SystemSetting;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the client remembers, each zone by itself as on Android; its own one in memory mixes the zones. */
final class Settings implements SystemSetting {
  private final Map<String, Map<String, Object>> zones = new ConcurrentHashMap<>();

  private Map<String, Object> zone(String name) {
    return zones.computeIfAbsent(name, (unused) -> new ConcurrentHashMap<>());
  }

  @SuppressWarnings("unchecked")
  private <T> T get(String zone, String key, T otherwise) {
    return (T) zone(zone).getOrDefault(key, otherwise);
  }

  @Override
  public boolean getBoolean(String zone, String key, boolean otherwise) {
    return get(zone, key, otherwise);
  }

  @Override
  public int getInteger(String zone, String key, int otherwise) {
    return get(zone, key, otherwise);
  }

  @Override
  public float getFloat(String zone, String key, float otherwise) {
    return get(zone, key, otherwise);
  }

  @Override
  public long getLong(String zone, String key, long otherwise) {
    return get(zone, key, otherwise);
  }

  @Override
  public String getString(String zone, String key, String otherwise) {
    return get(zone, key, otherwise);
  }

  @Override
  public Map<String, Object> getAll(String zone) {
    return new HashMap<>(zone(zone));
  }

  @Override
  public void saveBoolean(String zone, String key, boolean value) {
    zone(zone).put(key, value);
  }

  @Override
  public void saveInteger(String zone, String key, int value) {
    zone(zone).put(key, value);
  }

  @Override
  public void saveFloat(String zone, String key, float value) {
    zone(zone).put(key, value);
  }

  @Override
  public void saveLong(String zone, String key, long value) {
    zone(zone).put(key, value);
  }

  @Override
  public void saveString(String zone, String key, String value) {
    zone(zone).put(key, value);
  }

  @Override
  public void removeKey(String zone, String key) {
    zone(zone).remove(key);
  }

  @Override
  public void removeKeyZone(String zone) {
    zones.remove(zone);
  }
}

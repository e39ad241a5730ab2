package android.net;

public class ConnectivityManager {
    public boolean isActiveNetworkMetered() {
        return false;
    }
}

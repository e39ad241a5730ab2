package android.widget;

import android.view.View;

public class ListView extends View {
}
